"""Private files and folders, and writes that a power cut does not undo.

The umask does not matter: what is made here is for its owner alone from the first moment.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_OPEN_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC


def make_private_folder(path: Path) -> None:
    """Create `path` and what is missing above it, each 0700. Raises OSError."""
    if path.is_dir():
        return
    parent = path.parent
    if parent != path and not parent.is_dir():
        make_private_folder(parent)
    try:
        path.mkdir(mode=FOLDER_MODE)
    except FileExistsError:
        if not path.is_dir():
            raise
        return
    path.chmod(FOLDER_MODE)
    sync_folder(parent)


def open_private(path: Path) -> int:
    """Open a file for appending and reading; make it, 0600 and durable, where it is missing.

    Raises:
        OSError: it cannot be had, or is a pipe or a device, which keep nothing.
    """
    for _ in range(100):
        with suppress(FileNotFoundError):
            return _regular(os.open(path, _OPEN_FLAGS | os.O_NONBLOCK), path)
        try:
            fd = os.open(path, _OPEN_FLAGS | os.O_CREAT | os.O_EXCL, FILE_MODE)
        except FileExistsError:
            continue
        os.fchmod(fd, FILE_MODE)
        sync_folder(path.parent)
        return fd
    raise FileNotFoundError(path)  # pragma: no cover - it appears and vanishes 100 times


def _regular(fd: int, path: Path) -> int:
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise OSError(errno.EINVAL, "Not a regular file: move it away", str(path))


def sync(fd: int) -> None:
    """Return once the file is on the medium, as far as the system can tell."""
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:
        with suppress(OSError):
            fcntl.fcntl(fd, full)
            return
    os.fsync(fd)


def sync_folder(path: Path) -> None:
    """Make new, moved and removed names in a folder durable, where folders can be synced."""
    with suppress(OSError):
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write all of `data`, in one call unless the system takes less. Raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def replace(path: Path, data: bytes, mode: int = FILE_MODE) -> None:
    """Write `data` in place of what is at `path`: that stands whole until the new is on disk.

    A file that was there keeps its mode, and a link stays one. A device is written to, and a pipe
    that somebody reads from; so is a file whose folder takes no new ones.

    Raises:
        OSError: it cannot be written; what was there is as it was.
    """
    with suppress(FileNotFoundError):
        about = path.stat()
        mode = stat.S_IMODE(about.st_mode)
        if not stat.S_ISREG(about.st_mode) or not writable(path.resolve().parent):
            _overwrite(path, data)
            return
    path = path.resolve()
    temporary = path.with_name(f".{path.name[:60]}.{os.urandom(6).hex()}")
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
    try:
        try:
            os.fchmod(fd, mode)
            write_all(fd, data)
            sync(fd)
        finally:
            os.close(fd)
        temporary.replace(path)
    except OSError:
        temporary.unlink()
        raise
    sync_folder(path.parent)


def _overwrite(path: Path, data: bytes) -> None:
    try:  # to wait for the reader of a pipe could be for ever
        fd = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ENXIO and path.is_fifo():
            raise OSError(errno.ENXIO, "nobody reads from that pipe", str(path)) from None
        raise
    try:
        os.set_blocking(fd, True)
        write_all(fd, data)
    finally:
        os.close(fd)


def tighten(path: Path, mode: int) -> str | None:
    """Take away what group and others may do with `path`; return one line if that was news."""
    try:
        about = path.stat()
    except OSError:
        return None
    found = stat.S_IMODE(about.st_mode)
    if not found & 0o077 or not (stat.S_ISREG(about.st_mode) or stat.S_ISDIR(about.st_mode)):
        return None
    try:
        path.chmod(mode)
    except OSError as error:
        return f"{path} can be read by others (mode {found:o}; {error.strerror}): chmod {mode:o} it"
    return f"{path} could be read by others (mode {found:o}); it is private now"


def is_alone(path: Path) -> bool:
    """Tell whether `path` is a file or folder itself, with no other name that others know it by."""
    about = path.lstat()
    return stat.S_ISDIR(about.st_mode) or (stat.S_ISREG(about.st_mode) and about.st_nlink == 1)


def writable(folder: Path) -> bool:
    """Tell whether new files can be made in `folder`."""
    return os.access(folder, os.W_OK | os.X_OK)


def move_aside(path: Path, companions: tuple[str, ...], at: float) -> Path:
    """Rename a damaged file, and the files named `path` + a companion's ending, out of the way.

    The companions keep their endings behind the new name, so that SQLite still finds them.
    Returns the new path. Raises OSError.
    """
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(at))
    target = path.with_name(f"{path.name}.damaged-{stamp}")
    number = 1
    while target.exists():
        number += 1
        target = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
    for ending in ("", *companions):
        source = path.with_name(path.name + ending)
        with suppress(FileNotFoundError):
            moved = source.rename(target.with_name(target.name + ending))
            with suppress(OSError):
                if is_alone(moved):
                    moved.chmod(FOLDER_MODE if moved.is_dir() else FILE_MODE)
    sync_folder(path.parent)
    return target


@contextmanager
def lock(fd: int, seconds: float) -> Iterator[bool]:
    """Hold an advisory lock on `fd`; yields False where another kept it all that time.

    Never blocks longer: network homes hang, refuse or ignore locks, and then the caller goes on
    with the checks that do not need one.
    """
    held = _lock_in_time(fd, seconds)
    try:
        yield held is not False
    finally:
        if held:
            fcntl.flock(fd, fcntl.LOCK_UN)


def _lock_in_time(fd: int, seconds: float) -> bool | None:
    """Tell whether the lock is ours by now; None: there are no locks here."""
    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(0.02)
        except OSError:
            return None
        else:
            return True
