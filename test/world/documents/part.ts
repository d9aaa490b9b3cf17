// Public documents, read here and by other libraries: the share of their words, and the report of losses.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EngineError } from "../../../src/base/error.ts";
import type { DocumentLoss } from "../../../src/knowledge/document-losses.ts";
import { DOCUMENT_LIMITS } from "../../../src/knowledge/load-document.ts";
import { TEXT_READERS } from "../../../src/knowledge/readers/text-reader-list.ts";
import { DOCUMENT_READERS } from "../../../src/knowledge/readers/document-readers.ts";
import { pythonEnvironment } from "../needs/python-environment.ts";
import type { WorldPart } from "../part.ts";
import { explain } from "../support/accepted.ts";
import { ACCEPTED_DOCUMENTS, type DocumentDifference } from "./accepted.ts";
import { compareWords } from "./compare-words.ts";
import { REPOSITORIES, SOURCES } from "./documents.ts";
import { oracleTexts, type OracleRequest } from "./oracle-texts.ts";

const oracles = pythonEnvironment({
  name: "document-oracles",
  what: "pypdf, python-docx, openpyxl and others in a Python environment",
  requirements: new URL("../requirements/document-oracles.txt", import.meta.url),
  seconds: 30,
  megabytes: 100,
});

/** Share of the other library's words that a document has without a row. */
const ENOUGH = 0.98;
const READERS = [...DOCUMENT_READERS, ...TEXT_READERS];

type Row = {
  readonly id: string;
  readonly kind: string;
  readonly language: string;
  readonly words: number;
  readonly share: number;
  readonly losses: readonly DocumentLoss[];
  readonly error?: string;
};

export const part: WorldPart = {
  name: "documents",
  title: "Public documents beside other libraries",
  needs: [oracles, ...Object.values(REPOSITORIES)],
  wholeSeconds: 600,
  async run({ folders, scratch, say }) {
    const documents = Object.entries(SOURCES).flatMap(([name, source]) => {
      const folder = join(folders[REPOSITORIES[name]?.name ?? ""] ?? "", "checkout");
      return Object.entries(source.documents).map(
        ([path, language]): OracleRequest & { readonly language: string } => {
          const kind = (/\.([a-z]+)$/.exec(path)?.[1] ?? "")
            .replace("htm", "html")
            .replace("htmll", "html");
          return { id: `${name}/${path}`, path: join(folder, path), kind, language };
        },
      );
    });
    const texts = await oracleTexts(folders[oracles.name] ?? "", documents);
    const rows: Row[] = [];
    const compared: { readonly id: string; readonly differences: readonly DocumentDifference[] }[] =
      [];
    for (const { id, path, kind, language } of documents) {
      const other = texts.get(id) ?? { error: "no answer" };
      const own = await readDocument(path);
      const { words, missing } = compareWords(own.text, other.text ?? "");
      const share = words === 0 ? 1 : 1 - missing.length / words;
      rows.push({
        id,
        kind,
        language,
        words,
        share,
        losses: own.losses,
        ...(own.error === undefined ? {} : { error: own.error }),
      });
      const isEqual = own.error === undefined && other.error === undefined && share >= ENOUGH;
      const difference = {
        document: id,
        share,
        missing: missing.slice(0, 12),
        own: own.error,
        other: other.error,
      };
      compared.push({ id, differences: isEqual ? [] : [difference] });
      say(
        `${id}: ${(100 * share).toFixed(1)} % of ${words} words${own.error === undefined ? "" : `, ${own.error}`}`,
      );
    }
    writeFileSync(join(scratch, "documents.json"), JSON.stringify(rows, undefined, 1));
    const explained = explain(compared, ACCEPTED_DOCUMENTS, ({ share, missing, own, other }) =>
      [`${(100 * share).toFixed(1)} %`, own, other, missing.join(" ")].filter(Boolean).join("; "),
    );
    return {
      upstream: "pypdf, python-docx, openpyxl, Beautiful Soup",
      tried: documents.length,
      ...explained,
    };
  },
};

async function readDocument(path: string): Promise<{
  readonly text: string;
  readonly losses: readonly DocumentLoss[];
  readonly error?: string;
}> {
  const reader = READERS.find(({ extensions }) =>
    extensions.some((each) => path.toLowerCase().endsWith(each)),
  );
  if (reader === undefined) return { text: "", losses: [], error: "no reader" };
  try {
    const { text, losses = [] } = await reader.read(
      new Uint8Array(readFileSync(path)),
      DOCUMENT_LIMITS,
    );
    return { text, losses };
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return { text: "", losses: [], error: error.message };
  }
}
