# SPDX-License-Identifier: Apache-2.0
"""WireGuard as its far end has it: answers a handshake, puts in and takes out. No I/O.

    gateway                                  far end
       ---- 1: keys of one session, sealed ---->
       <--- 2: its answer ----------------------
       ---- 4: packets, numbered, sealed ------>   the first shows that it has the answer
       <--- 4 ----------------------------------

Written from "WireGuard: Next Generation Kernel Network Tunnel" (Donenfeld, NDSS 2017, section 5.4).
Cookies, and what guards against old messages, are left out: they guard packets of tests alone.
"""

import hashlib
import hmac
import struct
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from gatemark.station.far import wire
from gatemark.station.far.wire import Address

PORT: Final = 51820
BEGIN, ANSWER, DATA = (struct.pack("<I", each) for each in (1, 2, 4))  # kinds of messages
BEGIN_BYTES: Final = 148
HEAD_BYTES: Final = 16  # of data: kind, session, number
BLOCK: Final = 16
NAME: Final = b"Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s"
IDENTIFIER: Final = b"WireGuard v1 zx2c4 Jason@zx2c4.com"
MAC: Final = b"mac1----"
NO_PRESHARED: Final = bytes(32)


def private(way: str) -> X25519PrivateKey:
    """Return the key of the end that sends `up` or `down`: for packets of tests alone."""
    made = hashlib.sha512(f"gatemark wireguard {way}".encode()).digest()[:32]
    return X25519PrivateKey.from_private_bytes(made)


def raw(held: X25519PrivateKey | X25519PublicKey) -> bytes:
    """Return the 32 bytes of a key."""
    form = serialization.Encoding.Raw
    if isinstance(held, X25519PublicKey):
        return held.public_bytes(form, serialization.PublicFormat.Raw)
    plain = serialization.NoEncryption()
    return held.private_bytes(form, serialization.PrivateFormat.Raw, plain)


class Noise:
    """The state of a handshake: the chain that keys come of, and the hash of what was said."""

    def __init__(self, responder: bytes) -> None:
        self._chain = _hash(NAME)
        self._transcript = _hash(_hash(self._chain + IDENTIFIER) + responder)

    def mix(self, *secrets: bytes, keys: int = 1) -> bytes:
        """Take secrets into the chain; return the last of so many keys that come of it."""
        made = b""
        for secret in secrets:
            self._chain, *rest = _keys(self._chain, secret, keys)
            made = rest[-1] if rest else b""
        return made

    def hear(self, part: bytes) -> None:
        """Take what was said into the hash."""
        self._transcript = _hash(self._transcript + part)

    def preshared(self) -> bytes:
        """Take in the shared key that there is not; return the key of what is sealed next."""
        self._chain, heard, made = _keys(self._chain, NO_PRESHARED, 3)
        self.hear(heard)
        return made

    def seal(self, key: bytes, plain: bytes) -> bytes:
        """Seal a part of a message."""
        sealed = ChaCha20Poly1305(key).encrypt(bytes(12), plain, self._transcript)
        self.hear(sealed)
        return sealed

    def unseal(self, key: bytes, sealed: bytes) -> bytes:
        """Open a part of a message. Raises InvalidTag."""
        plain = ChaCha20Poly1305(key).decrypt(bytes(12), sealed, self._transcript)
        self.hear(sealed)
        return plain

    def session(self) -> tuple[ChaCha20Poly1305, ChaCha20Poly1305]:
        """Return the ciphers of the initiator and of the responder."""
        first, second = _keys(self._chain, b"", 2)
        return ChaCha20Poly1305(first), ChaCha20Poly1305(second)


class WireGuard:
    """The responder, which has as many sessions as the gateway began."""

    families = (4, 6)

    def __init__(self, near: str, far: str) -> None:
        self.near, self.far = Address(near), Address(far)
        self.answers: list[bytes] = []  # that are owed to the gateway
        self._private, self._peer = private("down"), private("up").public_key()
        self._outer = wire.outer(self.far, self.near)
        self._sessions: dict[bytes, tuple[bytes, ChaCha20Poly1305, ChaCha20Poly1305]] = {}
        self._now = b""  # the session that the gateway used last
        self._sent = 0

    def put_in(self, packet: bytes) -> bytes:
        """Seal it as the next of its session; nothing before there is one."""
        if not self._now:
            return b""
        theirs, _, cipher = self._sessions[self._now]
        number = struct.pack("<Q", self._sent)
        self._sent += 1
        plain = packet + bytes(-len(packet) % BLOCK)
        data = DATA + theirs + number + cipher.encrypt(bytes(4) + number, plain, b"")
        return self._around(data, wire.traffic_class(packet))

    def take_out(self, packet: bytes) -> bytes | None:
        """Return what it carries: nothing of a handshake; None of what is none of this tunnel."""
        udp = wire.unwrapped(packet, self.near, self.far, wire.UDP)
        if udp is None or udp[2:4] != struct.pack("!H", PORT):
            return None
        message = udp[8:]
        try:
            if message[:4] == BEGIN and len(message) == BEGIN_BYTES:
                self.answers.append(self._around(self._answered(message), 0))
                return b""
            return self._opened(message, wire.traffic_class(packet))
        except (InvalidTag, ValueError):  # not sealed by the gateway; a key that is none
            return None

    def _opened(self, message: bytes, outer_class: int) -> bytes | None:
        ours = message[4:8]
        if message[:4] != DATA or len(message) < HEAD_BYTES or ours not in self._sessions:
            return None
        _, cipher, _ = self._sessions[ours]
        plain = cipher.decrypt(bytes(4) + message[8:HEAD_BYTES], message[HEAD_BYTES:], b"")
        if ours != self._now:
            self._now, self._sent = ours, 0
        if not plain:  # a sign of life
            return b""
        inner = wire.unpadded(plain)
        is_one = wire.version(inner) in self.families
        return wire.with_congestion(inner, outer_class) if is_one else None

    def _answered(self, message: bytes) -> bytes:
        """Return the answer to a handshake's first message. Raises InvalidTag."""
        theirs, once = message[4:8], message[8:40]
        noise = Noise(raw(self._private.public_key()))
        noise.hear(once)
        noise.mix(once)
        its = X25519PublicKey.from_public_bytes(once)
        noise.unseal(noise.mix(self._private.exchange(its), keys=2), message[40:88])
        noise.unseal(noise.mix(self._private.exchange(self._peer), keys=2), message[88:116])
        ours = struct.pack("<I", len(self._sessions) + 1)
        fresh = X25519PrivateKey.generate()
        public = raw(fresh.public_key())
        noise.hear(public)
        noise.mix(public, fresh.exchange(its), fresh.exchange(self._peer))
        head = ANSWER + ours + theirs + public + noise.seal(noise.preshared(), b"")
        up, down = noise.session()
        self._sessions[ours] = theirs, up, down
        guard = _hash(MAC + raw(self._peer))
        return head + hashlib.blake2s(head, digest_size=16, key=guard).digest() + bytes(16)

    def _around(self, data: bytes, tos: int) -> bytes:
        udp = struct.pack("!HHHH", PORT, PORT, 8 + len(data), 0)
        return self._outer(wire.UDP, udp + data, tos)


def _hash(data: bytes) -> bytes:
    return hashlib.blake2s(data).digest()


def _mac(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "blake2s")


def _keys(chain: bytes, secret: bytes, count: int) -> list[bytes]:
    """Return as many keys of a chain and a secret (HKDF, RFC 5869)."""
    made, drawn = [b""], _mac(chain, secret)
    for number in range(1, count + 1):
        made.append(_mac(drawn, made[-1] + bytes((number,))))
    return made[1:]
