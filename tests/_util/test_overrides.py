"""A fast way holds for the plain way it was written beside, and for no other."""

from acvae._util.overrides import written_beside


class Base:
    def plain(self): ...

    def fast(self): ...


class OtherPlain(Base):
    def plain(self): ...


class OtherBoth(OtherPlain):
    def fast(self): ...


class Slotted:
    __slots__ = ()

    def plain(self): ...


def holds(owner):
    return written_beside(owner, "fast", "plain")


def test_by_the_nearest_class_that_says_either():
    assert holds(Base())
    assert not holds(OtherPlain())
    assert holds(OtherBoth())
    assert holds(type("Unchanged", (Base,), {})())
    assert not holds(type("Below", (OtherPlain,), {})())
    assert not holds(Slotted())


def test_an_instances_own_counts_too():
    changed = Base()
    changed.plain = lambda: None
    assert not holds(changed)
    changed.fast = lambda: None
    assert holds(changed)
