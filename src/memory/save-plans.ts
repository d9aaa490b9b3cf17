// Plans for the texts of a save and the records near them.
//
//   SP1. A model is asked only for values missing from the call (the place of a text) and for a plan about similar
//        records. A text stored already needs no model.
//   SP2. A batch has the same result as sequential saves of its texts: if an earlier plan of the save changed a record,
//        the model is asked again with the changed record. After `MAX_ASKED_AGAIN` repeated questions the text is
//        inserted.
//   SP3. A text counts as stored if it was inserted, if an update of its own plan was applied, or if an equivalent
//        record was kept for it. Otherwise it is inserted, regardless of its plan. Later plans of the save neither change a
//        record kept for a text nor delete one containing a text of the save.
import { mapAtMost } from "../base/concurrency.ts";
import {
  askConsolidation,
  askSaveAnalysis,
  INSERT_ONLY,
  type ConsolidationPlan,
  type SaveAnalysis,
} from "./analysis.ts";
import { reaches } from "./embed.ts";
import { workAt, type MemoryWork } from "./memory-work.ts";
import { isComplete, type SaveItem, type SaveRequest } from "./save-request.ts";
import type { Similar, Surroundings } from "./save-surroundings.ts";

/** Changes of a save, and the final record of each of its texts. */
export type SettledPlans = {
  readonly analyses: ReadonlyArray<SaveAnalysis | undefined>;
  /** New texts by record id. */
  readonly updates: ReadonlyMap<string, string>;
  readonly deletes: ReadonlySet<string>;
  /** Ids of the records containing the texts, in the order of the items; undefined for items to insert. */
  readonly holders: ReadonlyArray<string | undefined>;
};

const ANALYSES_AT_ONCE = 10;
/** These questions are sequential. */
const MAX_ASKED_AGAIN = 20;

/** Questions of one save. A later try reuses the answers of earlier ones. */
export class SavePlans {
  readonly #work: MemoryWork;
  readonly #request: SaveRequest;
  readonly #analyses = new Map<number, Promise<SaveAnalysis>>();
  readonly #consolidations = new Map<string, Promise<ConsolidationPlan>>();

  constructor(work: MemoryWork, request: SaveRequest) {
    this.#work = work;
    this.#request = request;
  }

  async settle(
    items: readonly SaveItem[],
    found: Surroundings,
    attempt: number,
  ): Promise<SettledPlans> {
    const segment = attempt === 1 ? "consolidation" : `consolidation~${attempt}`;
    const made = await mapAtMost(items, ANALYSES_AT_ONCE, async (item, place) => {
      if (isStored(found, place)) return { analysis: undefined, plan: INSERT_ONLY };
      const [analysis, plan] = await Promise.all([
        this.#analysis(item, found),
        this.#consolidation(item, found.similar[place] ?? [], segment),
      ]);
      return { analysis, plan };
    });
    const records = new PlannedRecords();
    const holders: (string | undefined)[] = items.map(() => undefined);
    let left = MAX_ASKED_AGAIN;
    for (const place of changesFirst(made.map(({ plan }) => plan))) {
      const item = items[place];
      let plan = made[place]?.plan;
      if (item === undefined || plan === undefined) continue;
      const similar = found.similar[place] ?? [];
      if (records.touched(plan)) {
        plan =
          left-- > 0
            ? await this.#consolidation(item, records.after(similar), `again:${attempt}`)
            : INSERT_ONLY;
      }
      holders[place] = records.apply(plan, this.#sayingTheSame(similar));
    }
    const { updates, deletes } = records;
    return { analyses: made.map(({ analysis }) => analysis), updates, deletes, holders };
  }

  async #analysis(
    { content, index }: SaveItem,
    { scopes, categories }: Surroundings,
  ): Promise<SaveAnalysis | undefined> {
    if (isComplete(this.#request)) return undefined;
    let analysis = this.#analyses.get(index);
    if (analysis === undefined) {
      const at = workAt(this.#work, this.#work.steps.at(`item:${index}`).at("analysis"));
      const { root } = this.#request;
      analysis = askSaveAnalysis(at, { content, root, scopes, categories });
      this.#analyses.set(index, analysis);
    }
    return analysis;
  }

  async #consolidation(
    { content, index }: SaveItem,
    similar: Similar,
    segment: string,
  ): Promise<ConsolidationPlan> {
    if (this.#sayingTheSame(similar).size === 0) return INSERT_ONLY;
    const key = `${index}:${similar.map(({ id, text }) => `${id}=${text}`).join("\n")}`;
    let plan = this.#consolidations.get(key);
    if (plan === undefined) {
      const at = workAt(this.#work, this.#work.steps.at(`item:${index}`).at(segment));
      plan = askConsolidation(at, content, similar);
      this.#consolidations.set(key, plan);
    }
    return plan;
  }

  /** Returns the ids of records near enough to be equivalent. */
  #sayingTheSame(similar: Similar): ReadonlySet<string> {
    const { consolidationThreshold } = this.#work.settings;
    const near = similar.filter(({ score }) => reaches(score, consolidationThreshold));
    return new Set(near.map(({ id }) => id));
  }
}

/** Records after each plan, one after another. */
class PlannedRecords {
  readonly updates = new Map<string, string>();
  readonly deletes = new Set<string>();
  readonly #kept = new Set<string>();

  /** True if another plan changed a record of this one. */
  touched({ actions, kept }: ConsolidationPlan): boolean {
    return [...actions.map(({ id }) => id), ...kept].some(
      (id) => this.updates.has(id) || this.deletes.has(id),
    );
  }

  after(similar: Similar): Similar {
    return similar
      .filter(({ id }) => !this.deletes.has(id))
      .map((record) => {
        const text = this.updates.get(record.id);
        return text === undefined ? record : { ...record, text };
      });
  }

  /** Returns the id of the record containing the plan's text, or undefined if the text is to be inserted (SP3). */
  apply(plan: ConsolidationPlan, sayTheSame: ReadonlySet<string>): string | undefined {
    let holder: string | undefined;
    for (const action of plan.actions) {
      const { id } = action;
      if (this.#kept.has(id)) continue;
      if (action.action === "update") {
        this.updates.set(id, action.content);
        holder ??= id;
      } else if (!this.updates.has(id)) this.deletes.add(id);
    }
    if (plan.insertNew) return undefined;
    if (holder !== undefined) return holder;
    const kept = plan.kept.find((id) => sayTheSame.has(id) && !this.deletes.has(id));
    if (kept !== undefined) this.#kept.add(kept);
    return kept;
  }
}

function isStored({ equal = [] }: Surroundings, place: number): boolean {
  return (equal[place] ?? null) !== null;
}

/** Orders plans with changes first, so a record kept for a text is in its final state. */
function changesFirst(plans: readonly ConsolidationPlan[]): readonly number[] {
  const places = [...plans.keys()];
  const changes = (place: number): boolean => (plans[place]?.actions.length ?? 0) > 0;
  return [...places.filter(changes), ...places.filter((place) => !changes(place))];
}
