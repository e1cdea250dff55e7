# SPDX-License-Identifier: Apache-2.0
"""The distribution's packages for any processor: downloaded by its own client, never installed.

`apt-get` takes them from where this machine takes its own, with their signatures checked. Its state
is a private folder that knows of no installed package and of one architecture alone, so the
machine's own lists, caches and architectures stay as they are.
"""

import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from gatemark import scratch
from gatemark.error import UnavailableError
from gatemark.node import nobody
from gatemark.station.image.cache import kept
from gatemark.store import xdg

Told = Callable[[str], None]

# Hooks of this machine's own configuration would act on the machine itself.
CONFIG: Final = """
Dir::State "{folder}/state";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}/cache";
Dir::Log "{folder}";
APT::Architecture "{arch}";
#clear APT::Architectures;
APT::Architectures {{ "{arch}"; }};
{sandbox}
APT::Install-Recommends "false";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
#clear APT::Update;
#clear DPkg;
"""
# What comes over the network is read as apt's own user (apt.conf(5)), but in a user namespace of
# our own, which has no second user. That one has to get to our folder, and root's cache is root's.
NO_SANDBOX: Final = 'APT::Sandbox::User "root";'
APT_USER: Final = "_apt"
FETCH_S: Final = 900.0  # some 60 MB
APT: Final = Path("/etc/apt")
OS_RELEASE: Final = Path("/etc/os-release")
OWN_RELEASE: Final = re.compile(r"^VERSION_CODENAME=([a-z]+)$", re.MULTILINE)
KERNEL: Final = "kernel"  # where the kernel's package is put
FOLDERS: Final = ("state/lists/partial", "cache/archives/partial", KERNEL)


def packages(
    arch: str, kernel: str, tools: Sequence[str], announce: Told, release: str = ""
) -> Path:
    """A folder with a kernel's package, and those of tools with all that they depend on.

    `arch` as the distribution calls it. `release`: of the distribution, which the kernel is of in
    place of this machine's own: trixie. The kernel's comes without what it depends on, which is
    for a machine that it is installed on. Raises UnavailableError.
    """

    def fetch(place: Path) -> None:
        of = f" of {release}" if release else ""
        announce(f"downloading {kernel}{of} and tools for {arch} from the distribution, once")
        with scratch.folder() as folder:
            _fetch(folder, arch, "" if release else kernel, tools, place)
        if release:
            with scratch.folder() as folder:
                _fetch(folder, arch, kernel, (), place, release)

    name = f"{kernel}@{release}" if release else kernel
    return kept(xdg.cache() / "package" / arch / "+".join((name, *sorted(tools))), fetch)


def _fetch(
    folder: Path, arch: str, kernel: str, tools: Sequence[str], place: Path, release: str = ""
) -> None:
    _open(folder)
    (folder / "status").touch()
    config = folder / "apt.conf"
    sandbox = "" if nobody.is_there() else NO_SANDBOX
    config.write_text(CONFIG.format(folder=folder, arch=arch, sandbox=sandbox))
    if release:
        _of_release(folder, config, release)
    _apt(config, folder, "apt-get", "update")
    if kernel:
        _apt(config, folder / KERNEL, "apt-get", "download", _real(config, kernel, arch))
    if tools:
        _apt(config, folder, "apt-get", "--yes", "--download-only", "install", *tools)
    for fetched in (folder / KERNEL, folder / "cache/archives"):
        for path in fetched.glob("*.deb"):
            shutil.move(path, place / path.name)


def _of_release(folder: Path, config: Path, release: str) -> None:
    """Have apt take another release from where this machine takes its own. Raises UnavailableError.

    The words of its sources that name its own release name the other: bookworm-updates, too.
    """
    own = OWN_RELEASE.search(OS_RELEASE.read_text()) if OS_RELEASE.exists() else None
    if not own:
        raise UnavailableError(f"{OS_RELEASE} names no release, so there is none in place of it")
    place = folder / "sources"
    place.mkdir()
    for file in (APT / "sources.list", *(APT / "sources.list.d").glob("*")):
        if file.suffix in (".list", ".sources") and file.is_file():
            text = re.sub(rf"\b{own[1]}\b", release, file.read_text())
            (place / file.name).write_text(text)
            (place / file.name).chmod(0o644)
    place.chmod(0o755)
    lines = f'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "{place}";\n'
    config.write_text(config.read_text() + lines)


def _open(folder: Path) -> None:
    """Make the folders of apt's state; apt's user can reach them, and write where it downloads."""
    for name in FOLDERS:
        (folder / name).mkdir(parents=True)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    if os.geteuid() == 0 and nobody.is_there():
        with suppress(LookupError):  # an apt of before its sandbox
            shutil.chown(folder / KERNEL, APT_USER)


def _real(config: Path, kernel: str, arch: str) -> str:
    """The kernel that a package stands for: `linux-image-amd64` depends on the newest."""
    texts = _apt(config, config.parent, "apt-cache", "depends", "--important", kernel).split()
    if not texts:
        raise UnavailableError(
            f"no package {kernel} for {arch} where this machine takes its packages from: "
            "give the station file a `kernel` and an `initramfs` of your own"
        )
    images = [word for word in texts[1:] if word.startswith("linux-image-")]
    return images[0] if images else kernel


def _apt(config: Path, folder: Path, *command: str) -> str:
    program, *rest = command
    words = [program, "--config-file", str(config), "--quiet=2", *rest]
    environment = os.environ | {"LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=FETCH_S,
        )
    except subprocess.TimeoutExpired:
        raise UnavailableError(
            f"{program} {' '.join(rest[:2])}: not over after {FETCH_S:g} s: is the network up?"
        ) from None
    except FileNotFoundError:
        raise UnavailableError(
            f"no {program} here to fetch a virtual gateway's kernel with: "
            "give the station file a `kernel` and an `initramfs` of your own"
        ) from None
    if done.returncode and program != "apt-cache":
        errors = [line for line in done.stderr.splitlines() if line.startswith("E:")]
        why = errors[-1].removeprefix("E: ") if errors else f"exit code {done.returncode}"
        raise UnavailableError(f"{program} {' '.join(rest[:2])}: {why}")
    return done.stdout


def files(package: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes | str]]:
    """The wanted files of a package: path and content, or where a symbolic link points."""
    command = ["dpkg-deb", "--fsys-tarfile", str(package)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE) as unpack,
        tarfile.open(fileobj=unpack.stdout, mode="r|") as archive,
    ):
        for member in archive:
            name = member.name.removeprefix("./")
            if not wanted(name):
                continue
            if member.issym():
                yield name, member.linkname
            elif (inside := archive.extractfile(member)) is not None:
                yield name, inside.read()
