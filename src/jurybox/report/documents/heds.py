"""The Human Evaluation Datasheet's questions: their numbers, and the options of its form.

HEDS 3.0 (Belz and Thomson 2025, https://aclanthology.org/2025.gem-1.6), in words of our own. Many
of its questions have a list of options; the author has to know them, so that an answer fits.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["NEITHER", "NOT_APPLICABLE", "QUESTIONS", "Question"]

NOT_APPLICABLE = "N/A"
NEITHER = "none of these"
OTHER = "other"


class Question(NamedTuple):
    """A question, and what may be chosen where the form has options."""

    asks: str
    options: tuple[str, ...] = ()
    several: bool = False
    """Whether more than one option, or language, may be named."""

    def names_option(self, answer: str) -> bool:
        """Whether an answer begins with an option; the author's own words may follow.

        >>> asked = Question("Paid?", ("paid", "not paid"))
        >>> asked.names_option("Not paid: they are students."), asked.names_option("payment")
        (True, False)
        """
        said = answer.casefold()
        starts = (option.casefold() for option in self.options)
        return any(
            said.startswith(start) and not said[len(start) :][:1].isalnum() for start in starts
        )

    @property
    def choices(self) -> str:
        """The options in words; nothing where any text is an answer."""
        of = "one or more of" if self.several else "one of"
        return f"{of}: {', '.join(self.options)}" if self.options else ""


TEXTS = (
    *("raw or structured data", "deep linguistic representation"),
    *("shallow linguistic representation", "text (part of a sentence)", "text (sentence)"),
    *("text (several sentences)", "text (document)", "text (dialogue)", "text (other)"),
    *("speech", "visual", "multimodal"),
)
"""What goes into systems or comes out of them."""
TASKS = (
    *("content selection", "content ordering", "aggregation", "referring expression generation"),
    *("lexicalization", "deep generation", "surface realization"),
    *("feature-controlled text generation", "data-to-text generation"),
    *("dialogue turn generation", "question generation", "question answering"),
    *("paraphrasing or lossless simplification", "compression or lossy simplification"),
    *("machine translation", "summarization", "end-to-end text generation"),
    *("image or video description", "post-editing or correction", OTHER),
)
CHOSEN = (
    *("simple random", "stratified random", "automatic but not random", "arbitrary by hand"),
    *("balanced by hand", OTHER),
)
ASSURED = (
    *("native speakers required", "automatic checks", "manual checks", "evaluators excluded"),
    *("answers excluded", OTHER, NEITHER),
)
FREEDOM = (
    *("at a set date", "a set time for each assessment", "a set time for the whole"),
    *("in one sitting", NEITHER),
)
WHERE = (
    *("a place of their own choice", "a lab and the same conditions for all"),
    *("a lab and conditions that vary", "real life and the same conditions for all"),
    *("real life and conditions that vary", "like real life and the same conditions for all"),
    *("like real life and conditions that vary", OTHER),
)
ELICITED = (
    *("agreement with a statement", "direct quality estimation", "relative quality estimation"),
    *("counting occurrences", "qualitative feedback", "post-editing or annotation"),
    *("classification or labeling", "user-text interaction", "task performance"),
    *("user-system interaction", OTHER),
)
OR_NOT = ("yes", "no", NOT_APPLICABLE)
PAID = ("paid in money", "paid otherwise", "not paid", NOT_APPLICABLE)
REPORTED = ("a paper", "an unpublished report", "a preregistration", "nowhere")
FEEDBACK = ("questions before", "questions during", "feedback after", OTHER, NEITHER)
SHOWN_AS = ("multiple choice", "check boxes", "slider", NOT_APPLICABLE, OTHER)
AGAINST = ("in its own right", "relative to the input", "relative to something external")

QUESTIONS = {
    "1.1.1": Question("Where is the experiment described (with a link)?", REPORTED),
    "1.1.2": Question("Which experiment of that text is this?"),
    "1.2": Question("Where are the resources that were used?", ("shared", "not shared")),
    "1.3.1.1": Question("Who fills in this sheet: name"),
    "1.3.1.2": Question("Who fills in this sheet: affiliation"),
    "1.3.1.3": Question("Who fills in this sheet: email address"),
    "1.3.2.1": Question("Contact author: name"),
    "1.3.2.2": Question("Contact author: affiliation"),
    "1.3.2.3": Question("Contact author: email address"),
    "2.1": Question(
        "What goes into the systems?",
        (*TEXTS, "control feature", "no input", OTHER),
        several=True,
    ),
    "2.2": Question("What comes out of them?", (*TEXTS, "no output", OTHER), several=True),
    "2.3": Question("Which task do the systems perform?", TASKS, several=True),
    "2.4": Question("In which languages is the input (names of ISO 639-1, or N/A)?", several=True),
    "2.5": Question("In which languages is the output (names of ISO 639-1, or N/A)?", several=True),
    "3.1.1": Question("How many outputs of each system are evaluated?"),
    "3.1.2": Question("How were they chosen?", CHOSEN),
    "3.1.3.1": Question("By which power analysis was the size chosen?"),
    "3.1.3.2": Question("What is the power of the sample?"),
    "3.1.3.3": Question("Where is the code of the power analysis?"),
    "3.2.1": Question("How many evaluators are there?"),
    "3.2.2.1": Question("Are they experts of the domain?", OR_NOT),
    "3.2.2.2": Question("Were they paid?", PAID),
    "3.2.2.3": Question("Did the authors know any of them before?", OR_NOT),
    "3.2.2.4": Question("Are researchers who run the experiment among them?", OR_NOT),
    "3.2.3": Question("How were they recruited?"),
    "3.2.4": Question("What training or practice came before?"),
    "3.2.5": Question("What else is known of them?"),
    "3.3.1": Question("Was the design preregistered (with a link)?", ("yes", "no")),
    "3.3.2": Question("By which medium were responses collected?"),
    "3.3.3.1": Question("Which types of quality assurance?", ASSURED, several=True),
    "3.3.3.2": Question("Which methods exactly?"),
    "3.3.4.1": Question("Where can the form that evaluators saw be viewed?"),
    "3.3.4.2": Question("What are evaluators shown while they answer?"),
    "3.3.5": Question("How free are they in when and how fast they answer?", FREEDOM, several=True),
    "3.3.6": Question(
        "Are they told that they may ask questions or give feedback?", FEEDBACK, several=True
    ),
    "3.3.7": Question("Under which conditions do they work?", WHERE),
    "3.3.8": Question("In what do the conditions vary between them?"),
    "4.1.1": Question("Which type of quality?", ("correctness", "goodness", "feature")),
    "4.1.2": Question("Which aspect of outputs?", ("form", "content", "both")),
    "4.1.3": Question("Is quality judged by itself, or against something?", AGAINST),
    "4.2.1": Question("Objective or subjective?", ("objective", "subjective")),
    "4.2.2": Question("Absolute or relative?", ("absolute", "relative")),
    "4.2.3": Question("Intrinsic or extrinsic?", ("intrinsic", "extrinsic")),
    "4.3.1.1": Question("Its name for evaluators"),
    "4.3.1.2": Question("Its name in a standard set of criteria, such as QCET"),
    "4.3.2": Question("Its definition for evaluators"),
    "4.3.3": Question("Size of the scale"),
    "4.3.4": Question("Its values"),
    "4.3.5": Question("How is the scale presented?", SHOWN_AS),
    "4.3.6": Question("The task, if there is no scale"),
    "4.3.7": Question("The question word for word"),
    "4.3.8": Question("Form of elicitation", ELICITED),
    "4.3.9": Question("How answers are aggregated"),
    "4.3.10": Question("Methods for effect size and significance"),
    "4.3.11.1": Question("How agreement between evaluators was measured"),
    "4.3.11.2": Question("Agreement between evaluators"),
    "4.3.12.1": Question("How agreement with oneself was measured"),
    "4.3.12.2": Question("Agreement with oneself"),
    "5.1": Question("Which ethics committee approved the study?"),
    "5.2": Question("Do outputs or answers hold personal data (GDPR, Art. 4)?", ("no", "yes")),
    "5.3": Question("Do they hold special categories of it (GDPR, Art. 9)?", ("no", "yes")),
    "5.4": Question("Was an impact assessment made?"),
}
"""Every question by its number; those of part 4 are asked of every criterion."""
