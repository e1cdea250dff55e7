# SPDX-License-Identifier: Apache-2.0
"""TLS of a test: a certificate for one trial, and both ends' contexts.

The certificate signs itself and is all that the client trusts. Sessions are never taken up again: a
foreign probe is a stranger each time.
"""

import os
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Final

NAME: Final = "gatemark.test"  # RFC 6761: no such name is ever given away
VALID: Final = timedelta(days=7)
ALPN: Final = ["h2"]
OLD: Final = ["http/1.1"]  # a server's, for what tools ask before they load


def certificate(addresses: Sequence[str]) -> tuple[str, str]:
    """A certificate for these addresses and its key, in PEM; ECDSA on P-256."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)
    names: list[x509.GeneralName] = [x509.DNSName(NAME)]
    names += [x509.IPAddress(ip_address(address)) for address in addresses]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - VALID)
        .not_valid_after(now + VALID)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return made.public_bytes(serialization.Encoding.PEM).decode(), private.decode()


def server_context(certificate_pem: str, key_pem: str) -> ssl.SSLContext:
    """The server's. The key is never on a disk."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.num_tickets = 0
    context.set_alpn_protocols(ALPN + OLD)
    memory = os.memfd_create("gatemark")
    try:
        os.write(memory, (key_pem + certificate_pem).encode())
        context.load_cert_chain(f"/proc/self/fd/{memory}")
    finally:
        os.close(memory)
    return context


def client_context(trusted_pem: str) -> ssl.SSLContext:
    """The client's: it trusts this certificate alone, and the address must be in it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(ALPN)
    context.load_verify_locations(cadata=trusted_pem)
    return context
