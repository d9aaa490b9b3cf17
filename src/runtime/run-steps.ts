// Steps of a run for readers: in pages, one by one, and as model calls.
import type { StepSummary } from "../journal/journal-store.ts";
import { adoptedSeq } from "./adopted-rows.ts";
import { journalPage, type JournalPage, type JournalQuery } from "./journal-page.ts";
import { modelCallPage, type ModelCallQuery, type ModelCallSummary } from "./model-call-list.ts";
import { modelCallView, type ModelCallView } from "./model-call-view.ts";
import type { Page } from "./page.ts";
import type { RunProgram } from "./run-program.ts";
import type { RunStore } from "./run-store.ts";
import type { StepExtras } from "./run-view.ts";
import type { RunStart } from "./run.ts";
import { StepCauses } from "./step-cause.ts";
import { stepDetail, type StepDetail, type StepPiece } from "./step-detail.ts";

/** Data of a run needed beside its store. */
export interface StepsHost {
  readonly store: RunStore;
  /** Throws `not_found` for a run never started. */
  start(): RunStart;
  /** Undefined when the definition is gone. */
  program(start: RunStart): RunProgram | undefined;
}

export class RunSteps {
  readonly #host: StepsHost;

  constructor(host: StepsHost) {
    this.#host = host;
  }

  /** A page of the journal. With results it is short enough for one answer (VP1). */
  page(query: JournalQuery): JournalPage {
    const start = this.#host.start();
    return journalPage(this.#host.store.journal, query, (rows) => this.#extras(start, rows));
  }

  /** Returns one step with all its details. */
  one(key: string, { nowMs, ...piece }: StepPiece & { readonly nowMs: number }): StepDetail {
    const start = this.#host.start();
    const asked = { key, runId: start.id, ...piece };
    return stepDetail(this.#host.store, asked, { nowMs, extras: this.#extras(start, []) });
  }

  /** A page of the model calls. */
  calls(query: ModelCallQuery): Page<ModelCallSummary> {
    this.#host.start();
    return modelCallPage(this.#host.store.journal, query);
  }

  /** Returns a model call with the conversation sent to the model. */
  call(
    key: string,
    options: { readonly message?: number | undefined; readonly nowMs: number },
  ): ModelCallView {
    this.#host.start();
    return modelCallView(this.#host.store, key, options);
  }

  #extras(start: RunStart, rows: readonly StepSummary[]): (row: StepSummary) => StepExtras {
    const { store } = this.#host;
    const { origin } = start;
    const { edited } = (origin ?? {}) as { readonly edited?: string };
    const tasks = this.#host.program(start)?.tasks ?? [];
    const causes = new StepCauses(
      {
        journal: store.journal,
        events: store.events,
        copied: origin && { run: origin.runId, upToSeq: adoptedSeq(store) },
        feeds: new Map(tasks.map(({ key, context = [] }) => [key, context])),
      },
      rows,
    );
    return (row) => {
      const cause = causes.of(row);
      return {
        ...(cause === undefined ? undefined : { cause }),
        ...(edited === row.key ? { edited: true } : undefined),
      };
    };
  }
}
