"""The options of ``riparian learn``: its source, its messages, its labels and how it runs."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = [
    "Assignments",
    "CheckpointFolder",
    "ClientOption",
    "DeadLetters",
    "Decode",
    "Dedupe",
    "Else",
    "Envelope",
    "Every",
    "FixedSchema",
    "Flatten",
    "Follow",
    "Grace",
    "IdleLine",
    "Journal",
    "Keep",
    "Key",
    "LabelColumn",
    "LabelSource",
    "Log",
    "MaxBad",
    "MaxPending",
    "MessageFormat",
    "MetricsAddress",
    "ModelIn",
    "OnBad",
    "OnGap",
    "OptionsFile",
    "Recipe",
    "Registry",
    "Resume",
    "Rows",
    "Sample",
    "Schema",
    "ServeAddress",
    "SourceAddress",
    "StartAt",
    "Target",
    "TimeColumn",
    "UntilEnd",
    "Wait",
]

SourceAddress = Annotated[
    str | None,
    typer.Argument(
        metavar="SOURCE",
        help="Where the rows come from: a file of JSON lines, CSV or TSV (also compressed), a "
        "Parquet or Arrow file, a folder or a pattern such as 'rows/*.jsonl', - for standard "
        "input, synth:NAME for a generator, or the address of a broker. Left out with "
        "--resume.",
    ),
]
Target = Annotated[str | None, typer.Option(help="Column of the class. Generators need none.")]
CheckpointFolder = Annotated[
    str | None,
    typer.Option(
        metavar="DIR",
        help="Folder of the checkpoint, on a disk of this machine. If it holds one of the "
        "same job, learning goes on where it ended.",
    ),
]
Resume = Annotated[
    str | None,
    typer.Option(
        metavar="DIR",
        help="Go on with the checkpoint in this folder: its source, its target, its model.",
    ),
]
Every = Annotated[
    str,
    typer.Option(
        metavar="TIME|ROWS",
        help="Write a checkpoint this often: 30s, 5m, or a number of rows.",
    ),
]
Keep = Annotated[
    str,
    typer.Option(
        metavar="N[,TIME,TIME]",
        help="Generations to keep: the last N, at least 2; 2,24h,30d also keeps one of each hour "
        "for a day, and one of each day for 30 days.",
    ),
]
StartAt = Annotated[
    str,
    typer.Option(
        metavar="beginning|end|TIME",
        help="Where to begin without a checkpoint. TIME is ISO 8601; files have no times.",
    ),
]
Follow = Annotated[
    bool, typer.Option("--follow", help="Wait for more at the end of a file or a folder.")
]
UntilEnd = Annotated[
    bool, typer.Option("--until-end", help="End where a broker ends now, as files do.")
]
IdleLine = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="With --follow: an unfinished line counts once the file has not grown for this long.",
    ),
]
Journal = Annotated[
    str | None,
    typer.Option(
        metavar="DIR",
        help="For standard input: keep the lines here until a checkpoint has them, so that a "
        "crash loses none.",
    ),
]
MessageFormat = Annotated[
    str | None,
    typer.Option(
        help="How a message is written: json, csv, tsv, arrow or avro.  [default: by SOURCE]"
    ),
]
FixedSchema = Annotated[
    bool,
    typer.Option("--fixed-schema", help="Ignore columns that the first messages do not have."),
]
Envelope = Annotated[
    str,
    typer.Option(
        metavar="plain|cloudevents|debezium", help="What is around the row of a JSON message."
    ),
]
Flatten = Annotated[
    bool,
    typer.Option("--flatten", help='Turn {"a": {"b": 1}} into {"a.b": 1}, to depth 3.'),
]
Sample = Annotated[
    int, typer.Option(min=1, help="Number of messages that decide the kinds of the columns.")
]
LabelSource = Annotated[
    str | None,
    typer.Option(
        metavar="SOURCE",
        help="Source of labels that come later than their rows. A row is predicted when "
        "it comes and learned when its label comes. Needs --key and --label in place of "
        "--target.",
    ),
]
Key = Annotated[str | None, typer.Option(help="Column of rows and labels that names a row.")]
LabelColumn = Annotated[str | None, typer.Option(help="Column of the label in --labels.")]
Wait = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="How much event time a row waits for its label: 10m, 7d."),
]
Else = Annotated[
    str | None,
    typer.Option(
        "--else", metavar="LABEL", help="Label of a row that has waited so long; else dropped."
    ),
]
Dedupe = Annotated[
    str | None,
    typer.Option(
        metavar="TIME", help="Leave out a row whose key has occurred within this much event time."
    ),
]
MaxPending = Annotated[
    int, typer.Option(min=1, help="Number of rows that may wait; the oldest expire first.")
]
TimeColumn = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Column of the event time, a date or seconds.  [default: the source's times]",
    ),
]
OnGap = Annotated[str, typer.Option(metavar="error|skip", help="What to do if messages were lost.")]
OnBad = Annotated[
    str,
    typer.Option(
        metavar="skip|stop",
        help="What to do with a message that cannot be learned: keep it as a dead letter, or stop.",
    ),
]
MaxBad = Annotated[
    float,
    typer.Option(
        min=0.0,
        max=1.0,
        help="Stop if more than this share of the last 1,000 messages cannot be learned.",
    ),
]
Rows = Annotated[
    int | None, typer.Option(min=1, help="Stop with the chunk that reaches this many rows.")
]
ClientOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE", help="Set an option of the source's client. Can be repeated."
    ),
]
OptionsFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="JSON file with options of the source's client, such as passwords. They are "
        "written nowhere.",
    ),
]
ModelIn = Annotated[
    str | None,
    typer.Option(
        "--model-in",
        metavar="FILE",
        help="Begin with the model in this file, for example one that PLANET has grown from a "
        "history. A checkpoint that has a model goes on with its own.",
    ),
]
Recipe = Annotated[
    str | None,
    typer.Option(
        help="Name of the model; 'riparian models' lists them. The options below are "
        "parameters of the model and have its own defaults.  [default: StreamTree]"
    ),
]
Assignments = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set any parameter of the model: n_estimators=5, drift=DDM. Can be repeated.",
    ),
]
Decode = Annotated[
    str | None,
    typer.Option(
        metavar="MODULE:FUNCTION",
        help="Your function that turns the bytes of a message into a dict. With --resume it "
        "has to be given again.",
    ),
]
Registry = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Schema registry of Avro messages. Its login is in the options registry.user and "
        "registry.password, or registry.token.",
    ),
]
Schema = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="JSON file with the kinds of the columns, in place of those that the first messages "
        'decide: {"columns": {"age": "numeric", "job": "categorical"}, "labels": "text"}.',
    ),
]
DeadLetters = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|kafka://HOST:PORT/TOPIC",
        help="Where to send messages that cannot be learned, at least once.",
    ),
]
Grace = Annotated[
    str,
    typer.Option(
        metavar="TIME",
        help="How long SIGTERM or SIGINT may take. A learner that has not ended then ends at once "
        "with status 1; its last checkpoint stays.",
    ),
]
MetricsAddress = Annotated[
    str | None,
    typer.Option(
        "--metrics",
        metavar="HOST:PORT",
        help="Serve metrics for Prometheus here, such as 127.0.0.1:9464. A port alone is open to "
        "this machine only.",
    ),
]
ServeAddress = Annotated[
    str | None,
    typer.Option(
        "--serve",
        metavar="HOST:PORT",
        help="Answer predictions over HTTP here while learning, with a page to watch the model: "
        "see docs/serving.md. A port alone is open to this machine only.",
    ),
]
Log = Annotated[
    str,
    typer.Option(
        metavar="text|json",
        help="How events are written to standard error: sentences, or a line of JSON for each.",
    ),
]
