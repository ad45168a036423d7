"""The verbs, their groups in ``--help``, and the edge where errors become sentences."""

from __future__ import annotations

import errno
import inspect
import sys
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from jurybox.cli.terminal import stop_writing, write_what_can_be
from jurybox.errors import AnalysisError, JuryboxError, OptionError

if TYPE_CHECKING:
    import typer

__all__ = ["GROUPS", "program", "run"]

GROUPS = {
    "Make": (
        *("new", "demo", "check", "size", "plan", "preregister"),
        *("simulate", "guidelines", "sample"),
    ),
    "Run": ("serve", "sheets", "judge"),
    "Learn": ("metrics", "analyze", "report", "gate"),
    "Keep": ("import", "export", "backup"),
}
"""Every verb, in the order and under the heading that ``jurybox --help`` shows."""

DONE, FAILED, USAGE, UNDECIDED, BUG = 0, 1, 2, 3, 4
STOPPED = 130
"""By Ctrl+C, as shells count it."""

EPILOG = (
    "Every command except size and sample takes a study directory or its study.yaml, by default "
    "the current directory. "
    "Exit codes: 0 done, 1 something is wrong with the study or the data, 2 wrong usage, "
    "3 undecided, 4 a bug in jurybox. 'jurybox --version' prints the version."
)
VALUES = {
    "str": "TEXT",
    "int": "NUMBER",
    "float": "NUMBER",
    "Path": "PATH",
    "list[str]": "TEXT",
    "list[Path]": "PATH",
}
"""What help texts call the values that options take."""
FULL = (errno.ENOSPC, errno.EDQUOT)
"""A disk, or one's share of it, has no room left: no bug."""
FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
"""The machine lets nobody, or not this person, read or write there: no bug either."""


def run(argv: list[str]) -> int:
    """Run one command line and give its exit code."""
    write_what_can_be(as_json="--json" in argv)
    verbs = [verb for group in GROUPS.values() for verb in group]
    asked = argv[0] if argv else "--help"
    if not asked.startswith("-") and asked not in verbs:
        near = get_close_matches(asked, verbs, n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(verbs)}."
        return _say(f"jurybox has no command '{asked}'; {hint}", USAGE)
    if asked == "--version":
        from jurybox import __version__

        sys.stdout.write(f"jurybox {__version__}\n")
        return DONE
    try:
        if asked == "analyze":
            from jurybox.cli.show import show_plainly

            # The parser's start would take longer than a small table.
            if show_plainly(argv[1:]):
                return DONE
        if asked == "gate":
            from jurybox.cli.conditions import join_conditions, judge_plainly

            argv = [asked, *join_conditions(argv[1:])]
            code = judge_plainly(argv[1:])
            if code is not None:
                return code
        # Only the verb that runs is imported: `analyze` must not wait for the web server.
        program([asked] if asked in verbs else verbs)(argv or ["--help"], prog_name="jurybox")
    except SystemExit as exit_:
        if exit_.code == STOPPED:  # Typer takes Ctrl+C in a verb without a word
            return _say("Stopped.", STOPPED)
        return exit_.code if isinstance(exit_.code, int) else FAILED
    except JuryboxError as error:
        return _say(str(error), _gate_code(error) if asked == "gate" else _code(error))
    except KeyboardInterrupt:
        return _say("Stopped.", STOPPED)
    except BrokenPipeError:
        stop_writing()
        return DONE
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            stop_writing()  # what is still held back would fail once more at the exit
            return _say(f"Not all could be written: {error.strerror}; make room.", FAILED)
        if isinstance(error, OSError) and error.errno in FORBIDDEN and error.filename:
            where = f"{error.filename}: {error.strerror}"
            return _say(f"{where}; name a place where you may read and write.", FAILED)
        import traceback

        traceback.print_exc()
        return _say("This is a bug in jurybox; the lines above say where it happened.", BUG)
    return DONE


def program(verbs: list[str]) -> Any:
    """The command ``jurybox`` with these verbs, as Typer makes it of them."""
    import typer

    app = typer.Typer(
        name="jurybox",
        help="Human evaluation of generative models, from study.yaml to a table you can publish.",
        epilog=EPILOG,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    # Without a callback, Typer would turn an app with one verb into a program without verbs.
    app.callback()(lambda: None)
    for panel, group in GROUPS.items():
        for verb in group:
            if verb in verbs:
                _register(app, verb, panel)
    made: Any = typer.main.get_command(app)
    order = [verb for group in GROUPS.values() for verb in group]
    # Typer would put verbs that have verbs below them last.
    made.commands = dict(sorted(made.commands.items(), key=lambda named: order.index(named[0])))
    _name_values(made)
    return made


def _name_values(command: Any) -> None:
    """Say in help texts what is taken: Typer would name Python's types, and after flags too."""
    import typer

    for each in command.get_params(typer.Context(command)):  # with --help among them
        if each.param_type_name == "argument":
            each.display_type_rich = lambda ctx: None  # its name and its words say it
        elif each.metavar is None:
            choices = each.type_descriptor.choices
            value = f"<{'|'.join(choices)}>" if choices else VALUES.get(each.bare_type())
            each.metavar = "" if each.is_flag else value
    for below in getattr(command, "commands", {}).values():
        _name_values(below)


def _register(app: typer.Typer, verb: str, panel: str) -> None:
    import typer

    module = import_module(f"jurybox.cli.{'import_' if verb == 'import' else verb}")
    command = getattr(module, module.__name__.rpartition(".")[2])
    if isinstance(command, typer.Typer):
        for each in command.registered_commands:
            each.help = each.help or _flowing(each.callback.__doc__)
        app.add_typer(command, name=verb, rich_help_panel=panel)
    else:
        app.command(name=verb, rich_help_panel=panel, help=_flowing(command.__doc__))(command)


def _flowing(docstring: str | None) -> str:
    """The docstring without the line breaks of the source, which a narrow terminal would add to."""
    paragraphs = inspect.cleandoc(docstring or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _code(error: JuryboxError) -> int:
    return USAGE if isinstance(error, OptionError) else FAILED


def _gate_code(error: JuryboxError) -> int:
    """To a pipeline, 1 says that a condition is shown false: no error may say that."""
    return UNDECIDED if isinstance(error, AnalysisError) else USAGE


def _say(sentence: str, code: int) -> int:
    sys.stderr.write(f"{sentence}\n")
    return code
