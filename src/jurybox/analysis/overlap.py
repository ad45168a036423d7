"""BLEU, chrF and ROUGE of a study's outputs: what they share with a reference text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any, Literal, get_args

from jurybox.analysis.metric_rows import Measured
from jurybox.errors import InputError, OptionError
from jurybox.formats import joined
from jurybox.study.criteria import TEXTUAL
from jurybox.study.material import Material
from jurybox.study.model import Study

__all__ = ["ENDS", "Family", "Tokens", "overlap_metrics"]

Family = Literal["bleu", "chrf", "rouge"]
Tokens = Literal["13a", "intl", "char", "zh", "none"]
ROUGE = ("rouge1", "rouge2", "rougeL")
ENDS = {
    **dict.fromkeys(("sentence_bleu", "sentence_chrf"), (0.0, 100.0)),
    **dict.fromkeys(ROUGE, (0.0, 1.0)),
}
"""Between what the metrics of single outputs lie."""


def overlap_metrics(
    study: Study,
    material: Material,
    families: Sequence[Family],
    *,
    reference: str,
    field: str | None = None,
    tokenize: str = "13a",
) -> list[Measured]:
    r"""Score every output, and every system's outputs together, against the items' references.

    Parameters
    ----------
    families
        Any of ``bleu``, ``chrf`` and ``rouge``.
    reference
        The field of the items that holds the reference, or a list of as many of every item.
    field
        The text field of the outputs; may be left out where there is one.
    tokenize
        How BLEU finds words: sacreBLEU's ``13a``, ``intl``, ``char``, ``zh`` or ``none``.

    Notes
    -----
    With :math:`p_n` the share of a system's n-grams that a reference has, and the brevity penalty
    :math:`b = \min(1, e^{1 - r/c})` of lengths r and c,

    .. math:: \mathrm{BLEU} = 100\, b \Bigl(\prod_{n=1}^4 p_n\Bigr)^{1/4}, \qquad
        \mathrm{chrF} = 100\, \frac{(1 + 2^2) P R}{2^2 P + R}

    where P and R are precision and recall of characters' n-grams, n ≤ 6. ROUGE-N is F of words'
    n-grams and ROUGE-L that of the longest common subsequence. ``bleu`` and ``chrf`` are of whole
    sets (counts added up over outputs), ``sentence_bleu`` (effective order) and ``sentence_chrf``
    of single outputs, as ``rouge1``, ``rouge2`` and ``rougeL`` are. Every value carries the
    signature that says how it was computed.

    References
    ----------
    Papineni et al. (2002), doi:10.3115/1073083.1073135; Popović (2015), doi:10.18653/v1/W15-3049;
    Lin (2004), aclanthology.org/W04-1013; Post (2018), doi:10.18653/v1/W18-6319.
    """
    if tokenize not in get_args(Tokens):
        known = ", ".join(get_args(Tokens))
        raise OptionError(f"--tokenize must be among {known}; got {tokenize!r}")
    wanted = _references(material, reference)
    texts = _texts(study, material, field)
    by_system: dict[str, dict[str, str]] = {}
    for (item, system), text in texts.items():
        by_system.setdefault(system, {})[item] = text
    found: list[Measured] = []
    for system, own in by_system.items():
        hypotheses, references = list(own.values()), [wanted[item] for item in own]
        for family in families:
            if family == "rouge":
                found += _rouge(system, own, wanted)
            else:
                found += _sacrebleu(family, system, list(own), hypotheses, references, tokenize)
    return found


def _sacrebleu(
    family: Family,
    system: str,
    items: Sequence[str],
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    tokenize: str,
) -> Iterator[Measured]:
    library = _need("sacrebleu.metrics")
    if family == "bleu":
        whole = library.BLEU(tokenize=tokenize)
        single = library.BLEU(tokenize=tokenize, effective_order=True)
    else:
        whole = single = library.CHRF()
    streams = [list(stream) for stream in zip(*references, strict=True)]
    score = float(whole.corpus_score(list(hypotheses), streams).score)
    yield Measured(metric=family, system=system, value=score, signature=str(whole.get_signature()))
    for item, hypothesis, own in zip(items, hypotheses, references, strict=True):
        score = float(single.sentence_score(hypothesis, list(own)).score)
        yield Measured(
            metric=f"sentence_{family}",
            system=system,
            item=item,
            value=score,
            signature=str(single.get_signature()),
        )


def _rouge(
    system: str, own: Mapping[str, str], wanted: Mapping[str, Sequence[str]]
) -> Iterator[Measured]:
    library = _need("rouge_score.rouge_scorer")
    tokens = _need("rouge_score.tokenize").tokenize
    scorer = library.RougeScorer(list(ROUGE))
    for item, text in own.items():
        for reference in wanted[item]:
            if not tokens(reference, None):
                raise InputError(
                    f"item {item!r}: ROUGE knows Latin letters and digits only, and the reference "
                    "has none; leave --rouge out and take --chrf"
                )
        scores = scorer.score_multi(list(wanted[item]), text)
        for name in ROUGE:
            yield Measured(
                metric=name,
                system=system,
                item=item,
                value=float(scores[name].fmeasure),
                signature=f"nrefs:{len(wanted[item])}|case:lc|measure:f|stemmer:no|"
                f"version:rouge-score {version('rouge-score')}",
            )


def _need(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0].replace("_", "-")
        raise InputError(
            f"This metric needs the package {package}; install it with "
            "'pip install \"jurybox[metrics]\"'."
        ) from None


def _references(material: Material, field: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for item in material.items.values():
        if field not in item.fields:
            known = ", ".join(item.fields) or "none"
            raise InputError(
                f"{item.file}: item {item.id!r} has no field {field!r} for a reference; its fields "
                f"are {known}"
            )
        given = item.fields[field]
        texts = [*given] if isinstance(given, list | tuple) else [given]
        if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
            raise InputError(
                f"{item.file}: the reference of item {item.id!r} is no text: {given!r}"
            )
        found[item.id] = texts
    counts = {len(texts) for texts in found.values()}
    if len(counts) > 1:
        raise InputError(
            f"field {field!r}: items have {joined(sorted(counts))} references; give all as many"
        )
    return found


def _texts(study: Study, material: Material, field: str | None) -> dict[tuple[str, str], str]:
    shown = [name for name, each in study.show.items() if each.medium in TEXTUAL]
    given = [n for n in shown if any(n in each.fields for each in material.outputs.values())]
    if field is None and len(given) != 1:
        several = f"have {', '.join(given)}; name one with --field" if given else "show no text"
        raise InputError(f"BLEU, chrF and ROUGE compare texts, and the outputs {several}")
    name = given[0] if field is None else field
    found: dict[tuple[str, str], str] = {}
    for (item, system), output in material.outputs.items():
        text = output.fields.get(name)
        if not isinstance(text, str):
            raise InputError(
                f"{output.file}: {system} on {item!r} has no text in the field {name!r}"
            )
        found[item, system] = text
    return found
