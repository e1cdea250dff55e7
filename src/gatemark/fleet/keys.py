# SPDX-License-Identifier: Apache-2.0
"""Keys of a laboratory: all that speak with each other in a distributed campaign show one of them.

    ca.pem     who is trusted: this authority alone
    cert.pem   signed by it, shown by scheduler, workers and coordinator
    key.pem    its key, mode 0600

Dask takes a worker's certificate as a client's, so whoever holds a key of the authority runs code
on every station. Several certificates would part nobody from anybody: there is one, and the
authority's own key is kept nowhere.
"""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from gatemark.error import UsageError

CA, CERT, KEY = "ca.pem", "cert.pem", "key.pem"
LASTS: Final = timedelta(days=3650)
EARLY: Final = timedelta(days=1)  # clocks of a laboratory may differ
PRIVATE: Final = 0o600


def make(folder: Path) -> None:
    """Have them in a new folder of mode 0700. Raises UsageError where it is there."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    def named(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    def signed(name: str, key: ec.EllipticCurvePrivateKey, *, is_ca: bool) -> bytes:
        made = (
            x509.CertificateBuilder()
            .subject_name(named(name))
            .issuer_name(named("gatemark laboratory"))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(datetime.now(UTC) - EARLY)
            .not_valid_after(datetime.now(UTC) + LASTS)
            .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
            .sign(authority, hashes.SHA256())
        )
        return made.public_bytes(serialization.Encoding.PEM)

    authority, own = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    secret = own.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700)
        for name, content in (
            (CA, signed("gatemark laboratory", authority, is_ca=True)),
            (CERT, signed("gatemark", own, is_ca=False)),
            (KEY, secret),
        ):
            handle = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}: name a folder that is not there") from None


def check(folder: Path) -> None:
    """Raise UsageError where one is missing, or others may read the key."""
    for name in (CA, CERT, KEY):
        if not (folder / name).is_file():
            raise UsageError(
                f"{folder / name} is missing: `gatemark campaign keys {folder}` makes a "
                "laboratory's, which is copied to each of its machines"
            )
    if (folder / KEY).stat().st_mode & 0o077:
        raise UsageError(f"{folder / KEY}: others may read it: chmod 0600 it")
