"""Write examples/metrics: outputs of real classifiers, a regression, translations, and latencies.

Run it in an environment with scikit-learn and inspect-ai. The models of breast_cancer.csv (569
patients) and diabetes.csv (442 patients) are fitted to data of scikit-learn, and each item is
predicted by a model that did not see it. The segments of translations.csv are sentences of this
documentation with synthetic errors, because no benchmark of translations is bundled with a
library. fast.json and slow.json are logs of Inspect with mockllm, whose solver waits for a random
time, so that latencies are those of this machine.
"""

# mypy: disable-error-code="import-not-found,untyped-decorator"

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "examples" / "metrics"
_ITEMS = 100
_SEGMENTS = 150


def write(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with (TARGET / name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def breast_cancer() -> None:
    from sklearn.datasets import load_breast_cancer  # noqa: PLC0415 not a dependency
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.model_selection import cross_val_predict  # noqa: PLC0415
    from sklearn.naive_bayes import GaussianNB  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415

    x, y = load_breast_cancer(return_X_y=True)
    malignant = (y == 0).astype(int)
    rows = []
    for name, model in (
        ("logistic", make_pipeline(StandardScaler(), LogisticRegression())),
        ("bayes", GaussianNB()),
    ):
        p = cross_val_predict(model, x[:, :10], malignant, cv=5, method="predict_proba")[:, 1]
        rows += [
            (name, f"patient-{k:03}", int(t), int(v > 0.5), f"{v:.6g}")
            for k, (t, v) in enumerate(zip(malignant, p, strict=True), 1)
        ]
    header = ("model", "item", "truth", "prediction", "probability")
    write("breast_cancer.csv", header, rows)


def diabetes() -> None:
    from sklearn.datasets import load_diabetes  # noqa: PLC0415
    from sklearn.linear_model import Ridge  # noqa: PLC0415
    from sklearn.model_selection import cross_val_predict  # noqa: PLC0415
    from sklearn.neighbors import KNeighborsRegressor  # noqa: PLC0415

    x, y = load_diabetes(return_X_y=True)
    rows = []
    for name, model in (("ridge", Ridge(alpha=0.1)), ("neighbors", KNeighborsRegressor(10))):
        values = cross_val_predict(model, x, y, cv=5)
        rows += [
            (name, f"patient-{k:03}", int(t), f"{v:.6g}")
            for k, (t, v) in enumerate(zip(y, values, strict=True), 1)
        ]
    write("diabetes.csv", ("model", "item", "truth", "prediction"), rows)


def _sentences() -> list[str]:
    pages = sorted((ROOT / "docs").glob("*.md"))
    text = " ".join(page.read_text("utf-8") for page in pages)
    text = re.sub(r"```.*?```", " ", text, flags=re.DOTALL)
    plain = re.sub(r"(?m)^[|#].*$|[`*\[\]]|\([^)]*\)", " ", text)
    sentences = (s.strip() for s in re.split(r"(?<=[.])\s+", " ".join(plain.split())))
    return [s for s in dict.fromkeys(sentences) if 8 <= len(s.split()) <= 25][:_SEGMENTS]


def translations() -> None:
    rng = np.random.default_rng(1)
    rows = []
    sentences = _sentences()
    words = sorted({w for s in sentences for w in s.split()})
    for name, rate in (("large", 0.18), ("small", 0.24)):
        for k, sentence in enumerate(sentences, 1):
            guess = [
                str(rng.choice(words)) if rng.random() < rate else w
                for w in sentence.split()
                if rng.random() > rate / 3
            ]
            rows.append((name, f"segment-{k:03}", sentence, " ".join(guess)))
    write("translations.csv", ("model", "item", "truth", "prediction"), rows)


def latencies() -> None:
    import anyio  # noqa: PLC0415
    from inspect_ai import Task, eval  # noqa: A004, PLC0415
    from inspect_ai.dataset import Sample  # noqa: PLC0415
    from inspect_ai.log import read_eval_log, write_eval_log  # noqa: PLC0415
    from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: PLC0415
    from inspect_ai.scorer import includes  # noqa: PLC0415
    from inspect_ai.solver import Generate, Solver, TaskState, solver  # noqa: PLC0415

    def answer(name: str) -> ModelOutput:
        output = ModelOutput.from_content(name, "Default")
        output.usage = ModelUsage(input_tokens=3, output_tokens=1, total_tokens=4)
        return output

    def waiting(seconds: dict[int, float]) -> Solver:
        @solver
        def wait() -> Solver:
            async def solve(state: TaskState, generate: Generate) -> TaskState:
                await anyio.sleep(seconds[int(state.sample_id)])
                return await generate(state)

            return solve

        return wait()

    rng = np.random.default_rng(1)
    common = rng.normal(0, 0.3, _ITEMS)
    for name, median in (("slow", 2.0), ("fast", 1.0)):
        waits = median * np.exp(common + rng.normal(0, 0.4, _ITEMS))
        samples = [Sample(id=k, input=f"Question {k}", target="Default") for k in range(_ITEMS)]
        task = Task(
            name="questions",
            dataset=samples,
            solver=waiting(dict(enumerate(waits))),
            scorer=includes(),
        )
        with TemporaryDirectory() as folder:
            eval(
                task,
                model=get_model(f"mockllm/{name}", custom_outputs=[answer(name)] * _ITEMS),
                max_samples=20,
                max_connections=20,
                log_dir=folder,
                log_format="eval",
                display="none",
            )
            log = read_eval_log(str(next(Path(folder).glob("*.eval"))))
        for sample in log.samples or []:
            sample.events = []  # to keep the file small
            sample.timelines = None
            sample.messages = []
        write_eval_log(log, str(TARGET / f"{name}.json"))


if __name__ == "__main__":
    TARGET.mkdir(parents=True, exist_ok=True)
    breast_cancer()
    diabetes()
    translations()
    latencies()
