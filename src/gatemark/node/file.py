# SPDX-License-Identifier: Apache-2.0
"""A file of this machine as a host has it: the same file, or a copy put there for a while.

A program of ours may have to be built first, which takes minutes: connections live on meanwhile.
"""

from asyncio import to_thread
from pathlib import Path
from typing import Protocol, runtime_checkable

from gatemark.error import UnavailableError
from gatemark.node.binary import CLASSIFIER, KERNELS, classifier_path, kernels_path, own_arch
from gatemark.node.shell import Here, Node


@runtime_checkable
class Distant(Node, Protocol):
    """A host on which files can be put, until the connection to it ends."""

    async def arch(self) -> str:
        """The kind of its processor. Raises GatemarkError where nothing is built for it."""

    async def put(self, file: Path, program: str = "") -> str:
        """The path of a file there, put there if it is not. Raises GatemarkError."""


async def arch(node: Node) -> str:
    """The kind of a host's processor. Raises GatemarkError where nothing is built for it."""
    return own_arch() if isinstance(node, Here) else await _distant(node).arch()


async def path(node: Node, file: Path, program: str = "") -> str:
    """A file's path on a host. `program`: it is one, called so. Raises GatemarkError."""
    return str(file) if isinstance(node, Here) else await _distant(node).put(file, program)


async def kernels(node: Node, level: str) -> str:
    """The path of gm-algorithms of a level on a host. Raises GatemarkError."""
    file = await to_thread(kernels_path, await arch(node), level)
    return await path(node, file, KERNELS)


async def classifier(node: Node) -> str:
    """The path of gm-classifier on a host. Raises GatemarkError."""
    file = await to_thread(classifier_path, await arch(node))
    return await path(node, file, CLASSIFIER)


def _distant(node: Node) -> Distant:
    if isinstance(node, Distant):
        return node
    raise UnavailableError(f"{node.name}: a host on which no file can be put")
