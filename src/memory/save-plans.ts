// What becomes of each text of a save, and of the records near it.
//
//   SP1. A model is asked only for what the call leaves out (where a text belongs), and what becomes of similar records. A text that is
//        stored already needs no model.
//   SP2. A batch ends as if its texts were saved one after another: a plan on a record that another plan of the save has changed is asked
//        for again, over what that plan made of it. After `MAX_ASKED_AGAIN` of them the text is inserted.
//   SP3. A text is stored when it was inserted, when an update of its own plan was applied, or when a record that says the same was kept
//         for it. In all other cases it is inserted, whatever its plan says. No later plan of the save changes a record that was kept for
//         a text of it, or deletes one that holds a text of it.
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

/** What a save changes, and where each of its texts ends up. */
export type SettledPlans = {
  readonly analyses: ReadonlyArray<SaveAnalysis | undefined>;
  /** New texts of records. */
  readonly updates: ReadonlyMap<string, string>;
  readonly deletes: ReadonlySet<string>;
  /** In the order of the items: the record that holds the text; undefined for what is inserted. */
  readonly holders: ReadonlyArray<string | undefined>;
};

const ANALYSES_AT_ONCE = 10;
/** Each waits for the one before it. */
const MAX_ASKED_AGAIN = 20;

/** The questions of one save: what was asked once is not asked again when the save looks again. */
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

  /** What is near enough to say the same. */
  #sayingTheSame(similar: Similar): ReadonlySet<string> {
    const { consolidationThreshold } = this.#work.settings;
    const near = similar.filter(({ score }) => reaches(score, consolidationThreshold));
    return new Set(near.map(({ id }) => id));
  }
}

/** Records as the plans leave them, one after another. */
class PlannedRecords {
  readonly updates = new Map<string, string>();
  readonly deletes = new Set<string>();
  readonly #kept = new Set<string>();

  /** Whether another plan changed what this one is about. */
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

  /** Answers the record that holds the plan's text; undefined where it is to be inserted (SP3). */
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

/** Plans that change something come first: a record that is kept for a text is kept as it ends up. */
function changesFirst(plans: readonly ConsolidationPlan[]): readonly number[] {
  const places = [...plans.keys()];
  const changes = (place: number): boolean => (plans[place]?.actions.length ?? 0) > 0;
  return [...places.filter(changes), ...places.filter((place) => !changes(place))];
}
