from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Verdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERDICT_UNSPECIFIED: _ClassVar[Verdict]
    VERDICT_PASS: _ClassVar[Verdict]
    VERDICT_FAIL: _ClassVar[Verdict]
VERDICT_UNSPECIFIED: Verdict
VERDICT_PASS: Verdict
VERDICT_FAIL: Verdict

class Item(_message.Message):
    __slots__ = ("id", "image", "caption", "deadline_ms", "options")
    ID_FIELD_NUMBER: _ClassVar[int]
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    CAPTION_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    id: str
    image: bytes
    caption: str
    deadline_ms: int
    options: Options
    def __init__(self, id: _Optional[str] = ..., image: _Optional[bytes] = ..., caption: _Optional[str] = ..., deadline_ms: _Optional[int] = ..., options: _Optional[_Union[Options, _Mapping]] = ...) -> None: ...

class Options(_message.Message):
    __slots__ = ("image_id", "source", "extra", "domain", "method")
    class ExtraEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    IMAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    EXTRA_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    image_id: str
    source: str
    extra: _containers.ScalarMap[str, str]
    domain: str
    method: str
    def __init__(self, image_id: _Optional[str] = ..., source: _Optional[str] = ..., extra: _Optional[_Mapping[str, str]] = ..., domain: _Optional[str] = ..., method: _Optional[str] = ...) -> None: ...

class StreamRequest(_message.Message):
    __slots__ = ("item",)
    ITEM_FIELD_NUMBER: _ClassVar[int]
    item: Item
    def __init__(self, item: _Optional[_Union[Item, _Mapping]] = ...) -> None: ...

class StreamResponse(_message.Message):
    __slots__ = ("credits", "welcome", "answer", "draining")
    CREDITS_FIELD_NUMBER: _ClassVar[int]
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    credits: int
    welcome: Welcome
    answer: Answer
    draining: Draining
    def __init__(self, credits: _Optional[int] = ..., welcome: _Optional[_Union[Welcome, _Mapping]] = ..., answer: _Optional[_Union[Answer, _Mapping]] = ..., draining: _Optional[_Union[Draining, _Mapping]] = ...) -> None: ...

class ScoreRequest(_message.Message):
    __slots__ = ("item",)
    ITEM_FIELD_NUMBER: _ClassVar[int]
    item: Item
    def __init__(self, item: _Optional[_Union[Item, _Mapping]] = ...) -> None: ...

class ScoreResponse(_message.Message):
    __slots__ = ("answer",)
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    answer: Answer
    def __init__(self, answer: _Optional[_Union[Answer, _Mapping]] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("client", "max_image_bytes", "max_npy_bytes", "max_caption_chars", "max_deadline_ms", "max_window", "idle_ms")
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    MAX_IMAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_NPY_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_CAPTION_CHARS_FIELD_NUMBER: _ClassVar[int]
    MAX_DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    MAX_WINDOW_FIELD_NUMBER: _ClassVar[int]
    IDLE_MS_FIELD_NUMBER: _ClassVar[int]
    client: str
    max_image_bytes: int
    max_npy_bytes: int
    max_caption_chars: int
    max_deadline_ms: int
    max_window: int
    idle_ms: int
    def __init__(self, client: _Optional[str] = ..., max_image_bytes: _Optional[int] = ..., max_npy_bytes: _Optional[int] = ..., max_caption_chars: _Optional[int] = ..., max_deadline_ms: _Optional[int] = ..., max_window: _Optional[int] = ..., idle_ms: _Optional[int] = ...) -> None: ...

class Draining(_message.Message):
    __slots__ = ("within_ms",)
    WITHIN_MS_FIELD_NUMBER: _ClassVar[int]
    within_ms: int
    def __init__(self, within_ms: _Optional[int] = ...) -> None: ...

class Answer(_message.Message):
    __slots__ = ("id", "sequence", "request_id", "row", "refusal")
    ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ROW_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    id: str
    sequence: int
    request_id: str
    row: Row
    refusal: Refusal
    def __init__(self, id: _Optional[str] = ..., sequence: _Optional[int] = ..., request_id: _Optional[str] = ..., row: _Optional[_Union[Row, _Mapping]] = ..., refusal: _Optional[_Union[Refusal, _Mapping]] = ...) -> None: ...

class Row(_message.Message):
    __slots__ = ("json", "error_code", "verdict", "terravis_score", "terravis_score_soft", "s_final", "s_rules", "s_llm")
    JSON_FIELD_NUMBER: _ClassVar[int]
    ERROR_CODE_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    TERRAVIS_SCORE_FIELD_NUMBER: _ClassVar[int]
    TERRAVIS_SCORE_SOFT_FIELD_NUMBER: _ClassVar[int]
    S_FINAL_FIELD_NUMBER: _ClassVar[int]
    S_RULES_FIELD_NUMBER: _ClassVar[int]
    S_LLM_FIELD_NUMBER: _ClassVar[int]
    json: bytes
    error_code: str
    verdict: Verdict
    terravis_score: float
    terravis_score_soft: float
    s_final: float
    s_rules: float
    s_llm: float
    def __init__(self, json: _Optional[bytes] = ..., error_code: _Optional[str] = ..., verdict: _Optional[_Union[Verdict, str]] = ..., terravis_score: _Optional[float] = ..., terravis_score_soft: _Optional[float] = ..., s_final: _Optional[float] = ..., s_rules: _Optional[float] = ..., s_llm: _Optional[float] = ...) -> None: ...

class Refusal(_message.Message):
    __slots__ = ("code", "message", "retry_after_ms")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_MS_FIELD_NUMBER: _ClassVar[int]
    code: str
    message: str
    retry_after_ms: int
    def __init__(self, code: _Optional[str] = ..., message: _Optional[str] = ..., retry_after_ms: _Optional[int] = ...) -> None: ...
