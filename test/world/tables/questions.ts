// Questions to sheets: count, sum, filter, join and date, each as SQL for the product and as a plan for the other side.
import type { TableProfile } from "../../../src/entry/tables.ts";
import { Random } from "../support/random.ts";

export type Sheet = { readonly file: string; readonly profile: TableProfile };

type Side = { readonly file: string; readonly sheet?: string; readonly headerRow: number };

export type Filter = {
  readonly side: number;
  readonly header: string;
  readonly type: string;
  readonly op: "=" | ">" | "<=" | "between" | "in" | "prefix" | "null" | "present" | "year";
  readonly values: readonly (string | number)[];
};

export type Plan = {
  readonly sides: readonly Side[];
  /** Compared columns of the two sides. */
  readonly on?: readonly [string, string];
  readonly filters: readonly Filter[];
  readonly group?: {
    readonly side: number;
    readonly header: string;
    readonly part?: "year" | "month";
  };
  readonly measure: {
    readonly fn: "count" | "distinct" | "sum" | "avg" | "min" | "max" | "top" | "list";
    readonly side: number;
    readonly header?: string;
    readonly type?: string;
  };
};

export type Question = {
  readonly id: string;
  readonly kind: string;
  readonly files: readonly string[];
  readonly sql: string;
  readonly plan: Plan;
};

type Column = TableProfile["columns"][number];

export const JOINS = [
  ["nyc-flights.csv", "carrier", "airlines.xlsx", "carrier", "name"],
  ["nyc-flights.parquet", "tailnum", "planes.parquet", "tailnum", "manufacturer"],
  ["flights-airport.csv", "origin", "airports.csv", "iata", "state"],
  ["long-flights.xlsx", "carrier", "airlines.xlsx", "carrier", "name"],
  ["nyc-flights.csv", "dest", "airports.csv", "iata", "state"],
  ["nyc-flights.csv", "time_hour", "weather.xlsx", "time_hour", "humid"],
] as const;

const KINDS = ["count", "sum", "filter", "date", "group", "top", "join", "distinct"] as const;

/** Makes questions in turn of their kinds. */
export function questionsOf(
  sheets: readonly Sheet[],
  { seed, count }: { readonly seed: number; readonly count: number },
): readonly Question[] {
  const random = new Random(seed);
  const questions: Question[] = [];
  for (let index = 0; questions.length < count && index < count * 20; index++) {
    const kind = KINDS[index % KINDS.length] ?? "count";
    const own = random.fork(index);
    const question =
      kind === "join" ? joinQuestion(sheets, own) : singleQuestion(own.pick(sheets), kind, own);
    if (question !== undefined)
      questions.push({ ...question, id: `${kind}-${seed}-${index}`, kind });
  }
  return questions;
}

type Made = Omit<Question, "id" | "kind"> | undefined;

function singleQuestion({ file, profile }: Sheet, kind: string, random: Random): Made {
  const side = sideOf(file, profile);
  const from = `FROM ${profile.table}`;
  const numbers = columnsOf(profile, (column) => column.type === "number" && column.values > 0);
  const dates = columnsOf(profile, (column) => column.type === "date" && column.values > 0);
  const keys = columnsOf(
    profile,
    (column) => column.distinct > 1 && column.distinct <= 300 && column.type !== "date",
  );
  const filters = filtersOf(profile, random, kind === "filter" ? 2 : 1);
  const base = { files: [file] };
  if (kind === "count" || kind === "filter") {
    if (kind === "filter" && numbers.length > 0) {
      const column = random.pick(numbers);
      return {
        ...base,
        sql: `SELECT ${column.name} ${from}${whereOf(filters)} ORDER BY ${column.name} IS NULL, ${column.name} LIMIT 50`,
        plan: { sides: [side], filters: plans(filters), measure: measureOf("list", column) },
      };
    }
    return {
      ...base,
      sql: `SELECT count(*) AS n ${from}${whereOf(filters)}`,
      plan: { sides: [side], filters: plans(filters), measure: { fn: "count", side: 0 } },
    };
  }
  if (kind === "distinct") {
    const column = random.pick(profile.columns);
    return {
      ...base,
      sql: `SELECT count(DISTINCT ${column.name}) AS n ${from}${whereOf(filters)}`,
      plan: { sides: [side], filters: plans(filters), measure: measureOf("distinct", column) },
    };
  }
  if (kind === "date") {
    if (dates.length === 0) return undefined;
    const date = random.pick(dates);
    const part = random.chance(0.5) ? "year" : "month";
    const column = numbers.length > 0 && random.chance(0.6) ? random.pick(numbers) : undefined;
    const value = column === undefined ? "count(*)" : `sum(${column.name})`;
    const present: Filter = filterOn(date, "present", []);
    const all = [{ filter: present, sql: `${date.name} IS NOT NULL` }, ...filters];
    return {
      ...base,
      sql: `SELECT strftime('${part === "year" ? "%Y" : "%Y-%m"}', ${date.name}) AS period, ${value} AS value ${from}${whereOf(all)} GROUP BY period ORDER BY period LIMIT 400`,
      plan: {
        sides: [side],
        filters: plans(all),
        group: { side: 0, header: date.header, part },
        measure: column === undefined ? { fn: "count", side: 0 } : measureOf("sum", column),
      },
    };
  }
  if (numbers.length === 0) return undefined;
  const column = random.pick(numbers);
  if (kind === "top")
    return {
      ...base,
      sql: `SELECT ${column.name} ${from}${whereOf(filters)} ORDER BY ${column.name} DESC NULLS LAST LIMIT 7`,
      plan: { sides: [side], filters: plans(filters), measure: measureOf("top", column) },
    };
  const fn = random.pick(["sum", "avg", "min", "max"] as const);
  if (kind === "sum")
    return {
      ...base,
      sql: `SELECT ${fn}(${column.name}) AS value ${from}${whereOf(filters)}`,
      plan: { sides: [side], filters: plans(filters), measure: measureOf(fn, column) },
    };
  if (keys.length === 0) return undefined;
  const key = random.pick(keys);
  const all = [
    { filter: filterOn(key, "present", []), sql: `${key.name} IS NOT NULL` },
    ...filters,
  ];
  return {
    ...base,
    sql: `SELECT ${key.name}, ${fn}(${column.name}) AS value ${from}${whereOf(all)} GROUP BY ${key.name} ORDER BY ${key.name} LIMIT 400`,
    plan: {
      sides: [side],
      filters: plans(all),
      group: { side: 0, header: key.header },
      measure: measureOf(fn, column),
    },
  };
}

function joinQuestion(sheets: readonly Sheet[], random: Random): Made {
  const [leftFile, leftKey, rightFile, rightKey, groupKey] = random.pick(JOINS);
  const left = sheets.find(({ file }) => file === leftFile);
  const right = sheets.find(({ file }) => file === rightFile);
  if (left === undefined || right === undefined) return undefined;
  const find = ({ profile }: Sheet, header: string) =>
    profile.columns.find((column) => column.header === header);
  const [a, b, key] = [find(left, leftKey), find(right, rightKey), find(right, groupKey)];
  if (a === undefined || b === undefined || key === undefined) return undefined;
  const numbers = columnsOf(
    left.profile,
    (column) => column.type === "number" && column.values > 0,
  );
  const column = random.pick(numbers);
  const fn = random.pick(["count", "sum", "avg"] as const);
  const own = filtersOf(left.profile, random, 1).map(({ filter, sql }) => ({
    filter,
    sql: sql.replace(/^(\S+)/, "a.$1"),
  }));
  const present = {
    filter: { ...filterOn(key, "present", []), side: 1 },
    sql: `b.${key.name} IS NOT NULL`,
  };
  const value = fn === "count" ? "count(*)" : `${fn}(a.${column.name})`;
  const grouped = random.chance(0.7);
  const filters = grouped ? [...own, present] : own;
  const from = `FROM ${left.profile.table} a JOIN ${right.profile.table} b ON a.${a.name} = b.${b.name}`;
  const measure = fn === "count" ? ({ fn: "count", side: 0 } as const) : measureOf(fn, column);
  return {
    files: [leftFile, rightFile],
    sql: grouped
      ? `SELECT b.${key.name} AS k, ${value} AS value ${from}${whereOf(filters)} GROUP BY k ORDER BY k LIMIT 400`
      : `SELECT ${value} AS value ${from}${whereOf(filters)}`,
    plan: {
      sides: [sideOf(leftFile, left.profile), sideOf(rightFile, right.profile)],
      on: [a.header, b.header],
      filters: plans(filters),
      ...(grouped ? { group: { side: 1, header: key.header } } : undefined),
      measure,
    },
  };
}

function sideOf(file: string, { place, headerRow }: TableProfile): Side {
  const sheet = place.startsWith(`${file} / `) ? place.slice(file.length + 3) : undefined;
  return { file, headerRow, ...(sheet === undefined ? undefined : { sheet }) };
}

function columnsOf(
  { columns }: TableProfile,
  fits: (column: Column) => boolean,
): readonly Column[] {
  return columns.filter((column) => !column.name.endsWith("_text") && fits(column));
}

function measureOf(fn: Plan["measure"]["fn"], column: Column): Plan["measure"] {
  return { fn, side: 0, header: column.header, type: column.type };
}

type MadeFilter = { readonly filter: Filter; readonly sql: string };

function plans(filters: readonly MadeFilter[]): readonly Filter[] {
  return filters.map(({ filter }) => filter);
}

function whereOf(filters: readonly MadeFilter[]): string {
  return filters.length === 0 ? "" : ` WHERE ${filters.map(({ sql }) => sql).join(" AND ")}`;
}

function filterOn(column: Column, op: Filter["op"], values: Filter["values"]): Filter {
  return { side: 0, header: column.header, type: column.type, op, values };
}

function filtersOf(profile: TableProfile, random: Random, count: number): readonly MadeFilter[] {
  const filters: MadeFilter[] = [];
  for (let tries = 0; filters.length < count && tries < 12; tries++) {
    const made = filterOf(random.pick(columnsOf(profile, ({ values }) => values > 0)), random);
    if (made !== undefined) filters.push(made);
  }
  return filters;
}

function filterOf(column: Column, random: Random): MadeFilter | undefined {
  const { name, type, min, max, examples, nulls } = column;
  if (nulls > 0 && random.chance(0.15))
    return { filter: filterOn(column, "null", []), sql: `${name} IS NULL` };
  if (type === "number" && typeof min === "number" && typeof max === "number") {
    const at = Math.round((min + (max - min) * random.next() * random.next()) * 100) / 100;
    if (random.chance(0.3)) {
      const to = Math.round((at + (max - at) * random.next()) * 100) / 100;
      return {
        filter: filterOn(column, "between", [at, to]),
        sql: `${name} BETWEEN ${at} AND ${to}`,
      };
    }
    const op = random.chance(0.5) ? ">" : "<=";
    return { filter: filterOn(column, op, [at]), sql: `${name} ${op} ${at}` };
  }
  if (type === "date" && typeof min === "string" && typeof max === "string") {
    const [from, to] = [Number(min.slice(0, 4)), Number(max.slice(0, 4))];
    const year = String(from + random.below(to - from + 1)).padStart(4, "0");
    if (random.chance(0.5))
      return {
        filter: filterOn(column, "year", [year]),
        sql: `substr(${name}, 1, 4) = '${year}'`,
      };
    // A text with a time is greater than its date alone.
    const at = `${year}-03-01${min.length > 10 ? " 00:00:00" : ""}`;
    return { filter: filterOn(column, ">", [`${year}-03-01`]), sql: `${name} > '${at}'` };
  }
  const texts = examples.filter(
    (value): value is string => typeof value === "string" && !/…$|\s{2}/.test(value),
  );
  if (type !== "text" || texts.length === 0) return undefined;
  const value = random.pick(texts);
  if (random.chance(0.3) && texts.length > 1) {
    const values = [...new Set([value, random.pick(texts)])];
    return {
      filter: filterOn(column, "in", values),
      sql: `${name} IN (${values.map(quoted).join(", ")})`,
    };
  }
  if (random.chance(0.3) && /^[A-Za-z]{2}/.test(value))
    return {
      filter: filterOn(column, "prefix", [value.slice(0, 2)]),
      sql: `${name} LIKE '${value.slice(0, 2)}%'`,
    };
  return { filter: filterOn(column, "=", [value]), sql: `${name} = ${quoted(value)}` };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
