"""The far side of an I2C bus of the emulated machine: simulated expanders behind qemu's vhost-user-i2c.

In the machine the kernel's own i2c-virtio is the adapter, and `/dev/i2c-N` takes each transfer that a Pi's bus takes.
Its requests come here: vhost-user (qemu, docs/interop/vhost-user) hands over the machine's memory, virtio 1.2 says how
a queue lies in it (2.7, split virtqueues) and what a request of an I2C adapter holds (5.15).
"""

import array
import mmap
import os
import selectors
import socket
import struct
import threading
from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple, Self

from drivers.simulated.expander.mcp23017 import Mcp23017

_FEATURES = 1 << 32 | 1 << 30 | 1
"""VIRTIO_F_VERSION_1 and VIRTIO_I2C_F_ZERO_LENGTH_REQUEST, without which the kernel's driver refuses the device, and
VHOST_USER_F_PROTOCOL_FEATURES, without which qemu takes the far side for one that has no room for its memory."""
_HEADER, _REPLY, _VERSION = struct.Struct("<III"), 4, 1
_REGION, _ADDRESSES, _STATE = struct.Struct("<QQQQ"), struct.Struct("<IIQQQQ"), struct.Struct("<II")
_DESCRIPTOR, _OUT, _USED = struct.Struct("<QIHH"), struct.Struct("<HHI"), struct.Struct("<II")
_NEXT, _WRITABLE, _INDIRECT = 1, 2, 4
_READS = 2
_OK, _ERROR = 0, 1


class Message(IntEnum):
    """The messages of vhost-user that mean something here."""

    GET_FEATURES = 1
    SET_MEM_TABLE = 5
    SET_VRING_NUM = 8
    SET_VRING_ADDR = 9
    SET_VRING_BASE = 10
    GET_VRING_BASE = 11
    SET_VRING_KICK = 12
    SET_VRING_CALL = 13
    GET_PROTOCOL_FEATURES = 15


class Region(NamedTuple):
    """A part of the machine's memory, by its own addresses (`guest`) and by qemu's (`user`)."""

    guest: int
    size: int
    user: int
    memory: mmap.mmap
    offset: int


class Expanders:
    """The chips on the bus, addressed as on the wire: a write begins with a register, a read goes on from the last."""

    def __init__(self, chips: Mapping[int, Mcp23017]) -> None:
        self._chips = dict(chips)
        self._registers = dict.fromkeys(chips, 0)

    def write(self, address: int, data: bytes) -> None:
        """Take a write; raise `OSError` where nobody answers."""
        chip = self._chip(address)
        if data:
            self._registers[address] = data[0]
        chip.write(self._registers[address], data[1:])

    def read(self, address: int, count: int) -> bytes:
        """Answer a read; raise `OSError` where nobody answers."""
        return self._chip(address).read(self._registers[address], count)

    def _chip(self, address: int) -> Mcp23017:
        if address not in self._chips:
            raise OSError(f"nobody at 0x{address:02x}")
        return self._chips[address]


class I2cAdapter:
    """Serves qemu on the socket `path`; a context manager. Its one queue is served on a thread of its own."""

    def __init__(self, path: Path, expanders: Expanders) -> None:
        self._path = path
        self._expanders = expanders
        self.transfers = 0
        self._regions: list[Region] = []
        self._size = self._seen = 0
        self._rings = (0, 0, 0)
        self._kick = self._call = -1
        self._ended, self._end = os.pipe()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._listener = socket.socket(socket.AF_UNIX)
        path.unlink(missing_ok=True)
        self._listener.bind(str(path))
        self._listener.listen(1)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._end)
        self._thread.join(10.0)
        self._listener.close()
        os.close(self._ended)

    def fittings(self) -> list[str]:
        """Return qemu's words for the adapter; the machine's memory must be shared.

        qemu's queue has 4 descriptors, too few for two messages of 3: what it offers by itself, a request's own table
        (2.7.5.3), is taken; that notices are left out (2.7.10) is not.
        """
        return [
            *("-chardev", f"socket,id=i2c,path={self._path}"),
            *("-device", "vhost-user-i2c-pci,chardev=i2c,event_idx=off"),
        ]

    # vhost-user

    def _serve(self) -> None:
        with selectors.DefaultSelector() as ready:
            ready.register(self._ended, selectors.EVENT_READ)
            ready.register(self._listener, selectors.EVENT_READ)
            qemu: socket.socket | None = None
            while True:
                for key, _events in ready.select():
                    if key.fileobj == self._ended:
                        return
                    if key.fileobj is self._listener:
                        qemu, _ = self._listener.accept()
                        ready.register(qemu, selectors.EVENT_READ)
                    elif qemu is not None and key.fileobj is qemu:
                        before = self._kick
                        if not self._message(qemu):
                            return
                        if self._kick != before:
                            if before >= 0:
                                ready.unregister(before)
                                os.close(before)
                            if self._kick >= 0:
                                ready.register(self._kick, selectors.EVENT_READ)
                    else:
                        os.read(self._kick, 8)
                        self._queue()

    def _message(self, qemu: socket.socket) -> bool:
        """Take one message; return False where qemu has gone."""
        head, fds = b"", array.array("i")
        while len(head) < _HEADER.size:
            part, ancillary, _flags, _address = qemu.recvmsg(_HEADER.size - len(head), socket.CMSG_SPACE(8 * 4))
            if not part:
                return False
            head += part
            for _level, _kind, content in ancillary:
                fds.frombytes(content[: len(content) - len(content) % fds.itemsize])
        request, _flags, size = _HEADER.unpack(head)
        payload = qemu.recv(size, socket.MSG_WAITALL) if size else b""
        reply = self._take(request, payload, list(fds))
        if reply is not None:
            qemu.sendall(_HEADER.pack(request, _VERSION | _REPLY, len(reply)) + reply)
        return True

    def _take(self, request: int, payload: bytes, fds: list[int]) -> bytes | None:
        match request:
            case Message.GET_FEATURES | Message.GET_PROTOCOL_FEATURES:
                return struct.pack("<Q", _FEATURES if request == Message.GET_FEATURES else 0)
            case Message.SET_MEM_TABLE:
                self._map(payload, fds)
            case Message.SET_VRING_NUM:
                self._size = _STATE.unpack(payload)[1]
            case Message.SET_VRING_ADDR:
                _index, _flags, descriptors, used, available, _log = _ADDRESSES.unpack(payload)
                self._rings = (descriptors, available, used)
            case Message.SET_VRING_BASE:
                self._seen = _STATE.unpack(payload)[1]
            case Message.GET_VRING_BASE:
                # the queue ends
                self._kick = -1
                return _STATE.pack(0, self._seen)
            case Message.SET_VRING_KICK:
                (self._kick,) = fds
            case Message.SET_VRING_CALL:
                (self._call,) = fds or [-1]
            case _:
                for fd in fds:
                    os.close(fd)
        return None

    def _map(self, payload: bytes, fds: list[int]) -> None:
        for region in self._regions:
            region.memory.close()
        self._regions = []
        for number, fd in enumerate(fds):
            guest, size, user, offset = _REGION.unpack_from(payload, 8 + number * _REGION.size)
            self._regions.append(Region(guest, size, user, mmap.mmap(fd, offset + size), offset))
            os.close(fd)

    # the queue

    def _at(self, address: int, *, user: bool = False) -> tuple[mmap.mmap, int]:
        for region in self._regions:
            begins = region.user if user else region.guest
            if begins <= address < begins + region.size:
                return region.memory, address - begins + region.offset
        raise ValueError(f"0x{address:x} is no address of the machine")

    def _queue(self) -> None:
        memory, available = self._at(self._rings[1], user=True)
        while self._seen != struct.unpack_from("<H", memory, available + 2)[0]:
            (head,) = struct.unpack_from("<H", memory, available + 4 + 2 * (self._seen % self._size))
            written = self._request(head)
            ring, used = self._at(self._rings[2], user=True)
            (count,) = struct.unpack_from("<H", ring, used + 2)
            _USED.pack_into(ring, used + 4 + _USED.size * (count % self._size), head, written)
            struct.pack_into("<H", ring, used + 2, (count + 1) & 0xFFFF)
            self._seen = (self._seen + 1) & 0xFFFF
        if self._call >= 0:
            os.write(self._call, struct.pack("<Q", 1))

    def _request(self, head: int) -> int:
        """Do one request; return how many bytes were written into the machine's memory."""
        read: list[tuple[mmap.mmap, int, int]] = []
        write: list[tuple[mmap.mmap, int, int]] = []
        table, first = self._at(self._rings[0], user=True)
        index = head
        while True:
            address, length, flags, following = _DESCRIPTOR.unpack_from(table, first + index * _DESCRIPTOR.size)
            if flags & _INDIRECT:
                (table, first), index = self._at(address), 0
                continue
            (write if flags & _WRITABLE else read).append((*self._at(address), length))
            if not flags & _NEXT:
                break
            index = following
        out = b"".join(memory[at : at + length] for memory, at, length in read)
        address, _padding, flags = _OUT.unpack_from(out)
        *buffers, (status_memory, status_at, _length) = write
        done = 1
        try:
            if flags & _READS:
                count = sum(length for _memory, _at, length in buffers)
                answer = self._expanders.read(address >> 1, count)
                for memory, at, length in buffers:
                    memory[at : at + length], answer = answer[:length], answer[length:]
                done += count
            else:
                self._expanders.write(address >> 1, out[_OUT.size :])
            status = _OK
        except OSError:
            status = _ERROR
        status_memory[status_at] = status
        self.transfers += 1
        return done
