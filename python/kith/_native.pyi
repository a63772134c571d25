from typing import Optional

version: str

Outcome = tuple[bool, str, list[str]]

class Frame:
    @property
    def rows(self) -> int: ...
    @property
    def names(self) -> list[str]: ...

class Policy:
    def ask(self, what: str, body: str, timeout: Optional[float] = None) -> Outcome: ...

def take_frame(capsule: object) -> tuple[Optional[Frame], str]: ...
def open_policy(
    path: str, frames: dict[str, Frame], threads: int, memory_bytes: int, timeout: Optional[float] = None, remembered: bool = True
) -> tuple[Optional[Policy], Outcome]: ...
def compute(what: str, body: str, timeout: Optional[float] = None) -> Outcome: ...
