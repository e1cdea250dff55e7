# SPDX-License-Identifier: Apache-2.0
"""The keys of one virtual gateway: its host key, and whom it lets in; both made by us.

So its key is known before it is first reached, and nobody else gets in.
"""

import os
import secrets
import struct
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from gatemark.station.image import cpio

KIND = b"ssh-ed25519"
SEED_BYTES = 32  # of a key (RFC 8032, section 5.1.5)

HOST_KEY = "etc/dropbear/host_key"  # of our own image, where `build.INITTAB` looks for it


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys that a guest gets."""

    host: bytes  # its SSH server's, in dropbear's form
    user: bytes  # whom it lets in, as a line of authorized_keys

    @property
    def user_line(self) -> str:
        """The same as text."""
        return self.user.decode()


def seeds() -> bytes:
    """Return what the two keys of a new guest are made of, and nobody else's: its secret."""
    return secrets.token_bytes(2 * SEED_BYTES)


def keys(address: str, folder: Path, secret: bytes = b"") -> Keys:
    """Keys of the guest at `address`; what is needed to get in is put into a private folder.

    These are `key` and `known_hosts`. The same `secret` makes the same keys.
    """
    secret = secret or seeds()
    host, user = (
        Ed25519PrivateKey.from_private_bytes(half)
        for half in (secret[:SEED_BYTES], secret[SEED_BYTES:])
    )
    (folder / "known_hosts").write_bytes(address.encode() + b" " + _public(host) + b"\n")
    key = os.open(folder / "key", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(key, "wb") as file:
        file.write(user.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    return Keys(dropbear(host), _public(user))


def instance(
    initramfs: Path, address: str, folder: Path, host_key: str = HOST_KEY, secret: bytes = b""
) -> Path:
    """An initramfs with keys of its own, in a private folder with what is needed to get in.

    `host_key` is where the image's SSH server looks for its own. The kernel unpacks one archive
    after the other (Documentation/filesystems/ramfs-rootfs-initramfs.rst).
    """
    made = keys(address, folder, secret)
    tree = {
        host_key: cpio.file(made.host, 0o600),
        "root": cpio.folder(0o700),
        "root/.ssh": cpio.folder(0o700),
        "root/.ssh/authorized_keys": cpio.file(made.user + b"\n", 0o600),
    }
    whole = folder / "initramfs"
    whole.write_bytes(initramfs.read_bytes() + cpio.archive(tree))
    return whole


def _public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)


def dropbear(key: Ed25519PrivateKey) -> bytes:
    """A host key in dropbear's own form: its kind, then the private and the public half as one.

    Each with its length in front, as in SSH's packets (dropbear, ed25519.c,
    buf_put_ed25519_priv_key).
    """
    halves = key.private_bytes_raw() + key.public_key().public_bytes_raw()
    return b"".join(struct.pack(">I", len(part)) + part for part in (KIND, halves))
