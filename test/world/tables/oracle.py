"""Answers plans of questions with pandas, from the files themselves. Reads and writes lines of JSON."""

import json
import os
import sys

import pandas as pd

frames: dict[str, pd.DataFrame] = {}
typed: dict[str, pd.Series] = {}


def is_missing(value) -> bool:
    return value is None or value is pd.NaT or (isinstance(value, float) and value != value) or value is pd.NA


def frame_of(folder: str, side: dict) -> pd.DataFrame:
    key = json.dumps(side)
    if key in frames:
        return frames[key]
    path = os.path.join(folder, side["file"])
    ending = path.rsplit(".", 1)[1]
    if ending in ("csv", "tsv"):
        separator = "\t" if ending == "tsv" else ","
        frame = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False, skip_blank_lines=False)
    elif ending == "xlsx":
        frame = pd.read_excel(
            path,
            sheet_name=side.get("sheet", 0),
            header=side["headerRow"] - 1,
            keep_default_na=False,
            na_values=[""],
            dtype=object,
        )
    elif ending == "parquet":
        frame = pd.read_parquet(path)
    else:
        with open(path, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file] if ending == "jsonl" else json.load(file)
        names = list(dict.fromkeys(name for row in rows for name in row))
        frame = pd.DataFrame({name: pd.Series([row.get(name) for row in rows], dtype=object) for name in names})
    frame.columns = [" ".join(str(name).split()) for name in frame.columns]
    first = side["headerRow"] + 1 if side["headerRow"] > 0 else 1
    frame["__row"] = range(first, first + len(frame))
    cells = frame.drop(columns="__row")
    blank = (cells.isna() | (cells == "")).all(axis=1)
    frames[key] = frame[~blank].reset_index(drop=True)
    return frames[key]


def series_of(folder: str, side: dict, header: str, kind: str) -> pd.Series:
    key = json.dumps([side, header, kind])
    if key in typed:
        return typed[key]
    raw = frame_of(folder, side)[header]
    if kind == "number":
        values = pd.to_numeric(raw.map(lambda v: None if isinstance(v, bool) else v), errors="coerce").astype(float)
    elif kind == "date":
        values = pd.to_datetime(raw.where(~raw.map(is_missing), None), errors="coerce", utc=True, format="mixed").dt.tz_localize(None)
    elif kind == "text":
        values = raw.astype(object).map(lambda v: None if is_missing(v) or v == "" else text_of(v)).astype(object)
    else:
        values = raw.map(lambda v: None if is_missing(v) or v == "" else v).astype(object)
    typed[key] = values
    return values


def text_of(value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (dict, list)):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return str(value)


def mask_of(values: pd.Series, op: str, given: list) -> pd.Series:
    present = ~values.map(is_missing)
    if op == "null":
        return ~present
    if op == "present":
        return present
    if op == "year":
        return present & (values.dt.year == int(given[0]))
    if op == "in":
        return values.isin(given)
    if op == "prefix":
        return values.map(lambda v: isinstance(v, str) and v[:2].lower() == given[0].lower())
    if pd.api.types.is_datetime64_any_dtype(values):
        return present & (values.dt.strftime("%Y-%m-%d %H:%M:%S").where(present, "") > given[0] + " 00:00:00")
    if op == "=":
        return values == given[0]
    if op == ">":
        return values > given[0]
    if op == "<=":
        return values <= given[0]
    return (values >= given[0]) & (values <= given[1])


def measured(values: pd.Series | None, fn: str):
    if fn == "count":
        raise AssertionError
    present = values[~values.map(is_missing)]
    if fn == "distinct":
        return int(present.nunique())
    if len(present) == 0:
        return None
    return float({"sum": present.sum, "avg": present.mean, "min": present.min, "max": present.max}[fn]())


def answer(folder: str, plan: dict) -> dict:
    sides = plan["sides"]
    measure = plan["measure"]
    needed: dict[str, pd.Series] = {}
    tables = []
    for number, side in enumerate(sides):
        frame = frame_of(folder, side)
        columns = {"__row": frame["__row"]}
        for index, item in enumerate(plan["filters"]):
            if item["side"] == number:
                columns[f"f{index}"] = series_of(folder, side, item["header"], item["type"])
        group = plan.get("group")
        if group and group["side"] == number:
            kind = group["type"] if "type" in group else ("date" if "part" in group else None)
            columns["g"] = series_of(folder, side, group["header"], kind or group_type(plan, group))
        if measure.get("header") and measure["side"] == number:
            columns["m"] = series_of(folder, side, measure["header"], measure["type"])
        if "on" in plan:
            header = plan["on"][number]
            columns["k"] = series_of(folder, side, header, "date" if header == "time_hour" else "text")
        tables.append(pd.DataFrame(columns))
    data = tables[0]
    if len(tables) == 2:
        present = [table[~table["k"].map(is_missing)] for table in tables]
        data = present[0].merge(present[1].drop(columns="__row"), on="k", how="inner")
    for index, item in enumerate(plan["filters"]):
        data = data.loc[mask_of(data[f"f{index}"], item["op"], item["values"]).astype(bool)]
    fn = measure["fn"]
    if "g" in data:
        keys = data["g"]
        part = plan["group"].get("part")
        if part:
            keys = keys.dt.strftime("%Y" if part == "year" else "%Y-%m")
        if fn == "count":
            grouped = data.groupby(keys, sort=False).size().items()
            rows = [[key, int(value)] for key, value in grouped]
        else:
            rows = [[key, measured(own["m"], fn)] for key, own in data.groupby(keys, sort=False)]
        rows.sort(key=lambda row: row[0])
        return {"rows": rows[:400]}
    if fn in ("top", "list"):
        values = [None if is_missing(value) else float(value) for value in data["m"]]
        present = sorted((value for value in values if value is not None), reverse=fn == "top")
        rows = (present + [None] * (len(values) - len(present)))[: 7 if fn == "top" else 50]
        return {"rows": [[value] for value in rows]}
    value = len(data) if fn == "count" else measured(data["m"], fn)
    span = None
    if len(tables) == 1 and fn in ("count", "sum", "avg"):
        span = [int(data["__row"].min()), int(data["__row"].max()), len(data)] if len(data) else []
    return {"rows": [[value]], "span": span}


def group_type(plan: dict, group: dict) -> str:
    return next(item["type"] for item in plan["filters"] if item["header"] == group["header"] and item["op"] == "present" and item["side"] == group["side"])


def main(folder: str, questions: str) -> None:
    with open(questions, encoding="utf-8") as file:
        for line in file:
            question = json.loads(line)
            try:
                result = answer(folder, question["plan"])
            except Exception as error:  # a question that the other side cannot answer fails by its name
                result = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps({"id": question["id"], **result}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:3])
