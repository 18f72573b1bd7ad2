"""Parts of the model from the last frame: tree, splits, changes, and what leaves wait for."""

from __future__ import annotations

from typing import Any

from riparian.serve.http import Problem, Reply, Request, json_reply
from riparian.serve.serving import Serving
from riparian.serve.tree_picture import tree_nodes

__all__ = ["changes", "pending", "splits", "tree"]


async def tree(serving: Serving, request: Request) -> Reply:
    """Answer with the nodes below one, down to some levels."""
    shown = serving.frames.structure
    node, depth = request.number("node", 0), request.number("depth", 4, 8)
    if shown is None:
        raise Problem(404, "no_tree", "the model has no tree to show")
    structure, sentences = shown
    if node >= len(structure):
        raise Problem(404, "no_node", f"the tree has {len(structure):,} nodes")
    return json_reply({"nodes": tree_nodes(structure, sentences, node, depth + 1), **_at(serving)})


async def splits(serving: Serving, request: Request) -> Reply:
    """Answer with the splits after some rows, as far as they are remembered."""
    return json_reply({"splits": _since(serving, request, "split"), **_at(serving)})


async def changes(serving: Serving, request: Request) -> Reply:
    """Answer with the changes after some rows, as far as they are remembered."""
    return json_reply({"changes": _since(serving, request, "change"), **_at(serving)})


async def pending(serving: Serving, request: Request) -> Reply:
    """Answer with the leaves that are nearest to a decision, or one of them."""
    race: list[dict[str, Any]] = serving.frames.last.get("race", [])
    if "node" in request.asked():
        node = request.number("node", 0)
        race = [leaf for leaf in race if leaf["leaf"] == node]
    return json_reply({"pending": race, **_at(serving)})


def _since(serving: Serving, request: Request, kind: str) -> list[dict[str, Any]]:
    since = request.number("since", 0)
    found = serving.frames.remembered(kind)
    return [data for data in found if data["rows"] > since]


def _at(serving: Serving) -> dict[str, Any]:
    model = serving.frames.last.get("model", {})
    return {"model": {key: model.get(key) for key in ("name", "generation", "rows")}}
