// Public sets of questions with the texts that answer them, fetched when the bench runs and kept in the user's cache.
//
// LoCoMo (github.com/snap-research/locomo, CC BY-NC 4.0) has ten long conversations: each turn is a record, and the
// evidence of a question are turns. XQuAD (github.com/google-deepmind/xquad, CC BY-SA 4.0) has 240 paragraphs in each
// language: each sentence is a record, and the sentence of the answer is the evidence.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

export type SetText = {
  readonly id: string;
  readonly text: string;
  readonly speaker?: string;
  readonly at?: Date;
};

export type SetQuestion = {
  readonly question: string;
  readonly category: string;
  readonly evidence: readonly string[];
};

/** Texts of one memory: `batches` are saved one after another, as sessions of a conversation. */
export type SetPart = {
  readonly name: string;
  readonly batches: readonly (readonly SetText[])[];
  readonly questions: readonly SetQuestion[];
};

type Turn = {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text: string;
  readonly blip_caption?: string;
};

type Sample = {
  readonly sample_id: string;
  readonly conversation: Readonly<Record<string, unknown>>;
  readonly qa: readonly {
    readonly question: string;
    readonly evidence: readonly string[];
    readonly category: number;
  }[];
};

const SOURCES = {
  locomo: {
    variable: "LOCOMO",
    file: "locomo10.json",
    url: "https://raw.githubusercontent.com/snap-research/locomo/main/data/locomo10.json",
  },
  "xquad.zh": {
    variable: "XQUAD_ZH",
    file: "xquad.zh.json",
    url: "https://raw.githubusercontent.com/google-deepmind/xquad/master/xquad.zh.json",
  },
  "xquad.de": {
    variable: "XQUAD_DE",
    file: "xquad.de.json",
    url: "https://raw.githubusercontent.com/google-deepmind/xquad/master/xquad.de.json",
  },
} as const;

export type SetName = keyof typeof SOURCES;

const CATEGORIES: Readonly<Record<number, string>> = {
  1: "multi-hop",
  2: "temporal",
  3: "open-domain",
  4: "single-hop",
  5: "adversarial",
};

/** Returns the text of a set; undefined, after a line about the remedy, if it is absent and cannot be fetched. */
async function textOf(name: SetName): Promise<string | undefined> {
  const { variable, file, url } = SOURCES[name];
  const own = process.env[variable];
  if (own !== undefined) return readFileSync(own, "utf8");
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const path = join(cache, "edgecrew", "bench", file);
  if (existsSync(path)) return readFileSync(path, "utf8");
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`status ${response.status}`);
    const text = await response.text();
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return text;
  } catch (error) {
    console.log(
      `${name} is absent (${(error as Error).message}): download ${url} and name the file in ${variable}`,
    );
    return undefined;
  }
}

/** Returns the conversations of LoCoMo. Questions without evidence among the turns are left out. */
export async function locomo(): Promise<readonly SetPart[] | undefined> {
  const text = await textOf("locomo");
  if (text === undefined) return undefined;
  return (JSON.parse(text) as readonly Sample[]).map((sample) => {
    const batches: SetText[][] = [];
    for (let number = 1; Array.isArray(sample.conversation[`session_${number}`]); number++) {
      const at = timeOf(sample.conversation[`session_${number}_date_time`] as string);
      batches.push(
        (sample.conversation[`session_${number}`] as readonly Turn[]).map((turn) => ({
          id: turn.dia_id,
          speaker: turn.speaker,
          text:
            turn.blip_caption === undefined
              ? turn.text
              : `${turn.text} [shares ${turn.blip_caption}]`,
          at,
        })),
      );
    }
    const known = new Set(batches.flat().map(({ id }) => id));
    const questions = sample.qa.map(({ question, evidence, category }) => ({
      question,
      category: CATEGORIES[category] ?? "other",
      evidence: [...new Set(evidence.flatMap((each) => each.split(/[;,\s]+/)))].filter((id) =>
        known.has(id),
      ),
    }));
    return {
      name: sample.sample_id,
      batches,
      questions: questions.filter(({ evidence }) => evidence.length > 0),
    };
  });
}

/** Reads `1:56 pm on 8 May, 2023` as UTC. */
function timeOf(text: string): Date {
  const [, hour, minute, half, day, month, year] =
    /(\d+):(\d+) (am|pm) on (\d+) (\w+),? (\d+)/.exec(text) ?? [];
  const date = new Date(`${day} ${month} ${year} 00:00 UTC`);
  date.setUTCHours((Number(hour) % 12) + (half === "pm" ? 12 : 0), Number(minute));
  return date;
}

type Article = {
  readonly paragraphs: readonly {
    readonly context: string;
    readonly qas: readonly {
      readonly question: string;
      readonly answers: readonly { readonly answer_start: number }[];
    }[];
  }[];
};

/** Returns XQuAD in a language as one memory: each paragraph is a batch of sentences. */
export async function xquad(language: "zh" | "de"): Promise<readonly SetPart[] | undefined> {
  const text = await textOf(`xquad.${language}`);
  if (text === undefined) return undefined;
  const { data } = JSON.parse(text) as { readonly data: readonly Article[] };
  const segmenter = new Intl.Segmenter(language, { granularity: "sentence" });
  const batches: SetText[][] = [];
  const questions: SetQuestion[] = [];
  for (const { context, qas } of data.flatMap(({ paragraphs }) => paragraphs)) {
    const sentences = [...segmenter.segment(context)];
    const place = batches.length;
    batches.push(
      sentences.map(({ segment }, index) => ({ id: `${place}:${index}`, text: segment.trim() })),
    );
    for (const { question, answers } of qas) {
      const at = answers[0]?.answer_start ?? 0;
      const found = sentences.findLastIndex(({ index }) => index <= at);
      questions.push({ question, category: language, evidence: [`${place}:${found}`] });
    }
  }
  const filled = batches.map((batch) => batch.filter((each) => each.text !== ""));
  return [{ name: `xquad.${language}`, batches: filled, questions }];
}
