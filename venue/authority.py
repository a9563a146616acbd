"""The venue's own certificate authority, and the certificates of its PostgreSQL server and its web page.

A cabinet trusts only this authority (`sslmode=verify-full`), which the one-time code proves to it during enrolment.
"""

import contextlib
import ipaddress
import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

AUTHORITY_YEARS = 30
SERVER_DAYS = 825
"""Validity of a server certificate in days; `cabinet venue init` renews it with the same authority."""

_SKEW = timedelta(days=1)
"""How far a cabinet's clock may be behind and still accept a new certificate."""


class AuthorityFiles:
    """Paths of the keys and certificates of authority, server and page in one folder."""

    def __init__(self, folder: Path) -> None:
        self.certificate = folder / "authority.pem"
        self.key = folder / "authority.key"
        self.server_certificate = folder / "server.pem"
        self.server_key = folder / "server.key"
        self.page_certificate = folder / "page.pem"
        self.page_key = folder / "page.key"


def make_authority(files: AuthorityFiles, venue: str, now: datetime) -> str:
    """Create the authority if it does not exist; return its certificate (PEM).

    An existing key is never replaced, because cabinets that trust it could no longer connect.
    """
    if files.key.exists() and files.certificate.exists():
        return files.certificate.read_text(encoding="ascii")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"{venue} (cabinet venue)"[:64])])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(now + timedelta(days=365 * AUTHORITY_YEARS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    _write_key(files.key, key)
    _write(files.certificate, certificate.public_bytes(Encoding.PEM), 0o644)
    return files.certificate.read_text(encoding="ascii")


def make_server_certificate(files: AuthorityFiles, hosts: Sequence[str], now: datetime) -> datetime:
    """Create PostgreSQL's key and certificate for `hosts`; return the expiry date."""
    return _certify(files, files.server_certificate, files.server_key, hosts, now)


def make_page_certificate(files: AuthorityFiles, hosts: Sequence[str], now: datetime) -> datetime:
    """Create the page's key and certificate for `hosts`; return the expiry date.

    Browsers accept the certificate after the authority's certificate was imported.
    """
    return _certify(files, files.page_certificate, files.page_key, hosts, now)


def hosts_of(certificate: Path) -> list[str]:
    """Return the host names and IP addresses in a certificate; an empty list if the file does not exist."""
    if not certificate.exists():
        return []
    found = x509.load_pem_x509_certificate(certificate.read_bytes())
    names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    addresses = [str(address) for address in names.get_values_for_type(x509.IPAddress)]
    return [*names.get_values_for_type(x509.DNSName), *addresses]


def _certify(files: AuthorityFiles, place: Path, key_place: Path, hosts: Sequence[str], now: datetime) -> datetime:
    authority = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    signer = load_pem_private_key(files.key.read_bytes(), password=None)
    if not isinstance(signer, ec.EllipticCurvePrivateKey):
        raise TypeError(f"{files.key} is not an elliptic curve key")
    key = ec.generate_private_key(ec.SECP256R1())
    expires = now + timedelta(days=SERVER_DAYS)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, hosts[0][:64])]))
        .issuer_name(authority.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(expires)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([_alternative(host) for host in hosts]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()),
            critical=False,
        )
        .sign(signer, hashes.SHA256())
    )
    _write_key(key_place, key)
    _write(place, certificate.public_bytes(Encoding.PEM), 0o644)
    return expires


def _alternative(host: str) -> x509.GeneralName:
    with contextlib.suppress(ValueError):
        return x509.IPAddress(ipaddress.ip_address(host))
    return x509.DNSName(host)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    _write(path, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), 0o600)


def _write(path: Path, content: bytes, mode: int) -> None:
    """Write and sync a temporary file, then rename it, so that a key is never half written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:  # noqa: PTH123 - sets the mode at creation
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
