"""``nstar claim`` for tables, lists, gaps, and sentences as pasted from papers."""

import io
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from scipy import stats as oracle

import nstar
from helpers.commands import Command
from nstar._data.printed_cell import number_in
from nstar.cli import main
from nstar.errors import DataError, QuestionError, ReadError
from nstar.readers._pasted import rows_in

FIXTURES = Path(__file__).parents[2] / "fixtures" / "claims"
EXAMPLES = Path(__file__).parents[3] / "examples"
CLAIM = Command("claim")
RL = "Llama-3.1-8B RL (ours)"

TABLES: list[tuple[str, dict[str, Any], dict[str, tuple[Any, ...]]]] = [
    (
        "readme.md",
        {"items": {"mmlu": 14042, "GSM8K": 1319, "HumanEval": 164}},
        {
            "MMLU (5-shot) ↑": ((0.625, 0.667, 0.684), "Ours-7B (v2)", False, "depends"),
            "GSM8K ↑": ((0.509, 0.562, 0.581), "Ours-7B (v2)", False, "depends"),
            "HumanEval ↑": ((0.305, 0.335, 0.329), "Rival-8B", False, "not_supported"),
        },
    ),
    (
        "seeds.md",
        {"seeds": 5, "pm_is": "sd"},
        {
            "WMT14 En-De BLEU ↑": ((0.273, 0.279, 0.291), "+ ours", False, "supported"),
            "TER ↓": ((0.61, 0.604, 0.582), "+ ours", True, "supported"),
        },
    ),
    (
        "parentheses.md",
        {"pm_is": "se"},
        {
            "Tasks solved (SE)": ((0.417, 0.449, 0.634), "Ours", False, "supported"),
            "Safety violations ↓": ((0.062, 0.051, 0.012), "Ours", True, "depends"),
        },
    ),
    (
        "booktabs.tex",
        {"seeds": 5},
        {
            "CIFAR-100 10% labels": ((0.612, 0.598, 0.66), "Ours", False, "supported"),
            "CIFAR-100 all labels": ((0.783, 0.791, 0.794), "Ours", False, "not_supported"),
            "ImageNet-C mCE ↓": ((0.767, 0.712, 0.649), "Ours", True, "supported"),
        },
    ),
    (
        "hline.tex",
        {"items": {"ARC-C": 1172, "BoolQ": 3270, "WinoGrande": 1267}},
        {
            "ARC-C": ((0.476, 0.555, 0.619), "Ours", False, "depends"),
            "BoolQ": ((0.765, 0.836, 0.841), "Ours", False, "depends"),
            "WinoGrande": ((0.701, 0.753, 0.749), "Mistral 7B", False, "not_supported"),
        },
    ),
    (
        "multirow.tex",
        {"items": 500},
        {
            "MATH-500": ((0.702, 0.764, 0.486, 0.77), RL, False, "not_supported"),
            "Error (%) ↓": ((0.124, 0.098, 0.15, 0.042), RL, True, "supported"),
        },
    ),
    (
        "changes.tex",
        {"items": {"GPQA": 198, "LiveCodeBench": 400}},
        {
            "GPQA": ((0.394, 0.429, 0.571), "+ RL", False, "depends"),
            "LiveCodeBench": ((0.281, 0.276, 0.363), "+ RL", False, "depends"),
        },
    ),
    (
        "intervals.csv",
        {},
        {
            "Arena score": ((12.85, 12.72, 12.51), "gpt-x", False, "depends"),
            "MT-Bench": ((0.0899, 0.0902, 0.0841), "gpt-y", False, "depends"),
        },
    ),
    (
        "spreadsheet.tsv",
        {"items": 3610},
        {
            "EM ↑": ((0.541, 0.61, 0.662), "Ours", False, "supported"),
            "Error rate ↓": ((0.095, 0.071, 0.03), "Ours", True, "supported"),
        },
    ),
    (
        "semicolons.csv",
        {"seeds": 3},
        {
            "SQuAD EM": ((0.68, 0.731), None, False, "supported"),
            "SQuAD F1": ((0.773, 0.81), None, False, "supported"),
        },
    ),
]


@pytest.mark.parametrize(("file", "values", "columns"), TABLES, ids=[t[0] for t in TABLES])
def test_a_pasted_table_is_read_as_its_author_meant(
    file: str, values: dict[str, Any], columns: dict[str, tuple[Any, ...]]
) -> None:
    table = nstar.claim_table(FIXTURES / file, **values)
    assert {
        c.benchmark: (c.shares, next(iter(c.bold), None), c.is_lower_better, c.verdict)
        for c in table.columns
    } == columns
    assert nstar.TableClaim.from_json(table.to_json()) == table


REFUSED = [
    ("concise.md", "line 3, column 'Accuracy': '0.783(12)' is ambiguous: (12) could be an error"),
    ("two_tables.tex", "found 2 tables. Paste one of them"),
    ("harness.md", "column 'stderr' contains errors. Write each error with its value"),
    ("short_row.tex", "line 5: the row has 4 cells, but the header has 3"),
    ("two_scores.md", "line 3, column 'EM (F1)': '71.4 (80.2)' is ambiguous: (80.2) could be a"),
    ("hline.tex", "'ARC-C': its values have no ±, so --items is needed"),
]


@pytest.mark.parametrize(("file", "said"), REFUSED)
def test_an_ambiguous_table_is_refused_with_the_place_and_the_fix(file: str, said: str) -> None:
    result = CLAIM.run(str(FIXTURES / file))
    assert result.exit_code == 3
    assert said in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the text is empty"),
        ("\\begin{tabular}{ll} a & b \\\\", "has no \\end"),
        ("a & {b \\\\ c & d \\\\ }}", "braces do not match"),
        ("\\multicolumn{300}{c}{x} & \\multicolumn{99}{c}{y} \\\\", "more than 200 columns"),
        ("|a|b|\nplain text", "found no table"),
        ("m,X\n" + "a,1\n" * 100_000, "is larger than"),
    ],
)
def test_broken_text_is_refused(text: str, said: str) -> None:
    with pytest.raises(ReadError) as error:
        rows_in("t", text, ".md" if text.startswith("|") else "")
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("cell", "value", "error", "bold"),
    [
        ("78.3 ± 0.4", 78.3, (0.4, 1, "±"), False),
        ("78.3 (0.4)", 78.3, (0.4, 1, "()"), False),
        (r"\textbf{78.3}", 78.3, None, True),
        ("78.3%", 78.3, None, False),
        (r"$\mathbf{78.3}_{\pm 0.4}$", 78.3, (0.4, 1, "±"), True),
        (r"\cellcolor[HTML]{E0E0E0}{\bf 78.3}{\scriptsize$\pm$0.4}", 78.3, (0.4, 1, "±"), True),
        (r"\underline{70.1}$^{\dagger}$ \cite{x}", 70.1, None, False),
        (r"71.4$_{\textcolor{blue}{+2.1}}$", 71.4, None, False),
        ("**71.4** +/- .25", 71.4, (0.25, 2, "±"), True),
        ("1,285 [1,280, 1,291]", 1285, (5.5, 0, "[]"), False),
        ("71.4<sub>±0.3</sub>", 71.4, (0.3, 1, "±"), False),
        ("71.4***", 71.4, None, False),
    ],
)
def test_cells(cell: str, value: float, error: tuple[float, int, str] | None, bold: bool) -> None:
    number = number_in(cell)
    assert number is not None
    assert not isinstance(number, str)
    assert (number.value, number.error, number.bold) == (value, error, bold)


@pytest.mark.parametrize("cell", ["5±", "71,4", "1.2e3", "71.4 / 70.2", "seven", "[1, 2]", "\\x{"])
def test_what_is_no_number(cell: str) -> None:
    assert number_in(cell) in ("", None)


def test_a_meaning_that_nobody_declared_is_in_the_headline() -> None:
    table = FIXTURES / "seeds.md"
    assert "Assumption: ± is an SD, an SE, or a 95% CI over 5 runs" in (
        nstar.claim_table(table, seeds=5).headline
    )
    assert "Assumption: ± is an SE or a 95% CI over items (for an SD or for runs, set seeds)" in (
        nstar.claim_table(table).headline
    )
    assert "± is an SD over 5 runs, as declared" in (
        nstar.claim_table(table, seeds=5, pm_is="sd").headline
    )
    with pytest.raises(DataError, match="a standard deviation needs its number of runs"):
        nstar.claim_table(table, pm_is="sd")
    text = "| m | X |\n|---|---|\n| a | **71.4 ± 0.5** |\n| b | 60.2 ± 0.5 |\n"
    assert "Reported errors are not used" in nstar.claim_table(text, items=1000).headline


def test_errors_are_tested_by_welch_and_adjusted() -> None:
    text = "| m | X | Y |\n|--|--|--|\n| a | 71.4 ± 0.5 | 3 ± 1 |\n| b | 70.0 ± 0.4 | 2 ± 1 |\n"
    column = nstar.claim_table(text + "| c | 60 ± 9 | 1 ± 1 |\n", seeds=5, pm_is="se").columns[0]
    sd = (0.5 * 5**0.5, 0.4 * 5**0.5)
    want = oracle.ttest_ind_from_stats(71.4, sd[0], 5, 70.0, sd[1], 5, equal_var=False).pvalue
    lead = column.leads[0]
    assert column.n_tests == 4
    assert lead.pvalue.low / 4 < want < lead.pvalue.high / 4


def test_standard_input_and_text() -> None:
    text = (FIXTURES / "spreadsheet.tsv").read_text(encoding="utf-8")
    found = CliRunner().invoke(main, ["claim", "-", "--items", "3610", "--brief"], input=text)
    assert found.exit_code == 0
    assert found.stdout.startswith("2 of 2 bold scores are supported (EM ↑ and Error rate ↓).")
    assert nstar.claim_table(text, items=3610).n_supported == 2


def test_a_sentence_on_standard_input() -> None:
    command = [sys.executable, "-m", "nstar", "claim", "-", "--brief"]
    sentence = "71.4% vs 70.6% on 1,319 items (p = 0.04)"
    run = partial(subprocess.run, capture_output=True, text=True, encoding="utf-8", check=True)
    assert run(command, input=f"{sentence}\n").stdout == CLAIM.run(sentence, "--brief").stdout
    table = run([*command, "--items", "1319"], input="model,GSM8K\na,71.4\nb,69.0\n")
    assert "best score on GSM8K" in table.stdout


@pytest.mark.parametrize(
    ("sentence", "items"),
    [
        ("71.4% vs 70.6% on GSM8K", "GSM8K has 1,319 items. If all were used, set --items 1319."),
        ("MMLU-Pro: 71.4% vs 70.6%", "MMLU-Pro has 12,032 items."),
        ("MMLU: 71.4% vs 70.6%", "MMLU has 14,042 items."),
        ("on gpqa diamond, 51.4% vs 50.6%", "GPQA Diamond has 198 items."),
    ],
)
def test_a_sentence_names_a_benchmark(sentence: str, items: str) -> None:
    result = CLAIM.run(sentence)
    assert result.exit_code == 2
    assert f"--items is missing. The test set of {items}" in " ".join(result.stderr.split())


def test_a_table_of_one_column_is_adjusted_for_rivals_only() -> None:
    one = str(nstar.claim_table("model,A\na,71.4\nb,69.0\nc,50", items=1000))
    assert "Bonferroni-adjusted for the rivals." in " ".join(one.split())
    two = str(nstar.claim_table("model,A,B\na,71.4,9.1\nb,69.0,8.2\nc,50,7.5", items=1000))
    assert "for 2 columns and the rivals in each." in " ".join(two.split())


def test_no_latex_runs_and_no_terminal_code_is_printed() -> None:
    text = "m & X \\\\ \\midrule \\input{/etc/passwd} a & 71 \\\\\n b\x1b[31m & \\textbf{80} \\\\"
    table = nstar.claim_table(text, items=1000)
    assert table.models[0] == "/etc/passwd a"
    assert "\x1b" not in str(table)


def test_twelve_claims() -> None:
    claims = nstar.claim_list(EXAMPLES / "claims.csv")
    assert (claims.n_below, claims.n_borderline, claims.n_above) == (7, 3, 2)
    one = nstar.claim("71.4%", "70.6%", items=1319, p="0.04")
    assert claims.claims[0].mde == one.mde
    assert claims.claims[0].verdict == one.verdict
    shown = CLAIM.text(str(EXAMPLES / "claims.csv"))
    assert " ".join(shown.split()).startswith(
        "7 of 12 claimed gaps are below the MDE; 3 are borderline; 2 are above it."
    )
    assert nstar.ClaimList.from_json(claims.to_json()) == claims


def test_lists_of_claims_name_the_line(tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    for text, said in (
        ("paper,a,b\nX,71%,70%\n", "needs the column items; found paper, a, b"),
        ("paper,a,b,items\nX,7I%,70%,500\n", "claims.csv, line 2: first: '7I%' is not"),
        ("paper,a,b,items\nX,71%,70%,many\n", "line 2: 'many' is not a valid number of items"),
        ("paper,a,b,items\nX,70%,70%,500\n", "no claim can be checked. Both accuracies are 0.7"),
    ):
        path.write_text(text, encoding="utf-8")
        result = CLAIM.run(str(path))
        assert result.exit_code == 3
        assert said in " ".join(result.stderr.split())
    path.write_text("paper;a;b;n\nX;70%;70%;500\nY;71%;70%;500\n", encoding="utf-8")
    claims = nstar.claim_list(path)
    assert [c.paper for c in claims.claims] == ["Y"]
    assert claims.skipped[0].paper == "X"


def test_a_gap_with_its_interval_and_p() -> None:
    first = nstar.claim_gap("-2.34pp", ci="-11.09pp,6.20pp", p="0.71", items=216)
    se = (6.20 + 11.09) / 100 / (2 * oracle.norm.ppf(0.975))
    assert first.se == pytest.approx(se)
    assert first.pvalue.low == pytest.approx(2 * oracle.norm.sf(0.0234 / se))
    assert first.mde == pytest.approx((oracle.norm.ppf(0.975) + oracle.norm.ppf(0.8)) * se)
    assert (first.verdict, first.agreement) == ("not_supported", "one-sided")
    second = nstar.claim_gap(0.2218, ci=(0.1443, 0.2982), p="0.0", items=216)
    assert (second.verdict, second.agreement) == ("supported", "zero")
    assert "a p-value cannot be 0" in second.headline
    alone = nstar.claim_gap("1.2pp", p="0.03")
    assert alone.se == pytest.approx(0.012 / oracle.norm.isf(0.015), rel=1e-6)
    assert nstar.claim_gap("1.2pp", p="<0.05").se is None
    odd = nstar.claim_gap("1pp", ci="-1pp,3pp", p="0.001")
    assert (odd.agreement, odd.verdict) == ("inconsistent", "depends")
    assert "p = 0.6, computed from the width of the interval" in first.headline
    with pytest.raises(QuestionError, match="needs its interval"):
        nstar.claim_gap("1pp")
    shown = CLAIM.text("--gap", "-2.34pp", "--ci", "-11.09pp,6.20pp", "--p", "0.71", "--brief")
    assert shown.startswith("Not supported: −2.3 pp is not significant")
    assert CLAIM.text("--gap=1.2pp", "--p", "0.03", "--brief").startswith("Supported: +1.2 pp")


@pytest.mark.parametrize("limits", ["3pp,4.5pp", "-4.5pp,-0.1pp", "-40pp,2pp"])
def test_an_interval_without_the_gap_depends(limits: str) -> None:
    found = nstar.claim_gap("2.3pp", ci=limits)
    assert (found.verdict, found.contains_gap) == ("depends", False)
    assert found.headline.startswith("Depends: the reported CI (")
    assert "reported gap (+2.3 pp), so one of them is wrong." in found.headline
    assert "significant" not in found.headline
    at_limit = nstar.claim_gap("2.3pp", ci="2.3pp,2.5pp")
    assert (at_limit.verdict, at_limit.contains_gap) == ("supported", True)


@pytest.mark.parametrize(
    "sentence",
    [
        "71.4% vs 70.6% on 1,319 items (p = 0.04)",
        "We improve accuracy from 70.6% to 71.4% on 1319 questions, p=0.04.",
        "GPT-4 (71.4%) beats Llama-3-8B (70.6%), n = 1,319, p-value = 0.04",
    ],
)
def test_a_sentence_is_the_claim_that_it_states(sentence: str) -> None:
    assert nstar.claim(sentence) == nstar.claim("71.4%", "70.6%", items=1319, p="0.04")


@pytest.mark.parametrize(
    ("sentence", "form"),
    [
        ("best on 7 of 9 benchmarks", "nstar claim wins 7 9 --models K"),
        ("78.3 ± 0.4 vs 77.5 ± 0.5", "nstar claim scores 78.3 77.5 --pm 0.4,0.5 --seeds S"),
        (
            "a gap of 2.3 points (95% CI −1.0 to 5.6, p = 0.2)",
            "nstar claim --gap 2.3pp --ci -1.0pp,5.6pp --p 0.2",
        ),
        (
            "improves accuracy by 2.3 points over the baseline (p<0.05)",
            "nstar claim --gap 2.3pp --p '<0.05'",
        ),
        ("71.4% vs 70.6% and 60% on 10 items", "It has 3 numbers that could be accuracies"),
        ("71.4% vs 70.6% on 10 items or 20 items", "ambiguous: '10 items' and '20 items'"),
        ("A is better than B", "nstar claim 71.4% 70.6% --items 1319 --p 0.04"),
    ],
)
def test_another_sentence_is_answered_with_the_form(sentence: str, form: str) -> None:
    result = CLAIM.run(sentence)
    assert result.exit_code == 2
    assert form in " ".join(result.stderr.split())


def test_text_of_a_table_is_not_read_twice() -> None:
    table = io.StringIO((FIXTURES / "hline.tex").read_text(encoding="utf-8")).getvalue()
    assert nstar.claim_table(table, items=1267).models == ("LLaMA", "Mistral 7B", "Ours")
