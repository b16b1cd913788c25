"""The direction of imports: every room imports only rooms below it, and nothing goes round in a circle."""

import ast
import re
from pathlib import Path

import pytest

import acvae

HOME = Path(acvae.__file__).parent

# From the ground up. A room is a module or folder of the package; those of one line do not import each other.
ROOMS = (
    ("exceptions",),
    ("_util",),
    ("graph",),
    ("splits",),
    ("forests",),
    ("objectives",),
    ("nn",),
    ("gaussian",),
    ("links",),
    ("metrics",),
    ("clustering",),
    ("datasets",),
    ("engine",),
    ("families",),
    ("training",),
    ("models",),
    ("methods",),
    ("runs",),
    ("export", "plot"),
    ("reproduce",),
    ("report",),
    ("commands",),
    ("__main__",),
)
LEVEL = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}
TORCH_FREE = ("_util", "gaussian", "links", "metrics", "clustering", "datasets", "runs", "plot", "report")
OF_TORCH = {"gaussian.forest.torch_distribution", "runs.training"}  # a PyTorch distribution; what trains


def modules():
    for path in sorted(HOME.rglob("*.py")):
        parts = path.relative_to(HOME).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


KNOWN = {name for name, _ in modules()}


def imports(path):
    """Modules of the package that a file imports, at its top or inside functions, types aside."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "acvae":
            home = node.module.removeprefix("acvae").lstrip(".")
            for alias in node.names:
                inner = f"{home}.{alias.name}".lstrip(".")
                yield inner if inner in KNOWN else home
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "acvae":
                    yield alias.name.removeprefix("acvae").lstrip(".")


GRAPH = {name: sorted(set(imports(path)) - {name}) for name, path in modules()}


def room(module):
    return module.split(".")[0]


def test_every_module_is_in_a_room():
    assert {room(name) for name in GRAPH if name} <= set(LEVEL)


@pytest.mark.parametrize("name", [name for name in GRAPH if name])
def test_no_import_goes_up(name):
    """A module reaches its own room and those below. The package itself is only its table of contents."""
    for other in GRAPH[name]:
        assert other != "", f"acvae.{name} imports the package itself: import from the room that has the name"
        below = room(other) == room(name) or LEVEL[room(other)] < LEVEL[room(name)]
        assert below, f"acvae.{name} imports acvae.{other}, which is not below it"


def test_no_cycle():
    done, path = set(), []

    def visit(name):
        assert name not in path, " → ".join([*path[path.index(name) :], name])
        if name in done:
            return
        path.append(name)
        for other in GRAPH.get(name, ()):
            visit(other)
        path.pop()
        done.add(name)

    for name in GRAPH:
        if name:
            visit(name)


def at_the_top(path):
    """Modules that come with a file as soon as it is imported: those named outside its functions."""
    level = list(ast.parse(path.read_text(encoding="utf-8")).body)
    for node in level:  # grows while it is walked
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            level += node.orelse
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            inner = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name.removeprefix("acvae.") in KNOWN else node.module for name in inner)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            level += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]


def test_rooms_without_pytorch():
    """None of their modules imports it, itself or by what comes with it."""
    top = {f"acvae.{name}".rstrip("."): set(at_the_top(path)) for name, path in modules()}

    def comes_with(name, found):
        """A module, the packages it is in, and what they import."""
        parts = name.split(".")
        for each in (".".join(parts[: k + 1]) for k in range(len(parts))):
            if each not in found:
                found.add(each)
                for other in top.get(each, ()):
                    comes_with(other, found)
        return found

    bound = {
        name for name in GRAPH if room(name) in TORCH_FREE and "torch" in comes_with(f"acvae.{name}", set())
    }
    assert bound == OF_TORCH


def test_the_top_of_the_package_can_be_taken_in_at_a_glance():
    entries = {path.name for path in HOME.iterdir()} - {"__pycache__", "__main__.py"}  # Python's own names
    assert len(entries) <= 25, sorted(entries)


def test_only_the_commands_know_their_flags():
    """Messages of the library name options as Python does; the commands add what is theirs."""
    flag = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
    found = []
    for name, path in modules():
        if room(name) == "commands":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise):
                texts = [c.value for c in ast.walk(node) if isinstance(c, ast.Constant)]
                found += [(name, text) for text in texts if isinstance(text, str) and flag.search(text)]
    assert found == []
