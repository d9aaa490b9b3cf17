// Sources and costs of the tools in one piece of work: citations, and calls by tool.
//
//   TLA1. A source is listed once: fragments and `utm_…` parameters of its address are ignored.
//   TLA2. Tools with a service are counted, and so is every tool reporting the cost of a call.
import { plainAddress } from "../base/plain-address.ts";
import type { ResultExtras, ResultSource } from "./tool-result.ts";

/** Calls of one tool and their costs. */
export type ToolUsage = {
  readonly calls: number;
  readonly failures: number;
  readonly credits?: number;
  readonly usd?: number;
};

/** Usage of tools by name. */
export type ToolUsages = Readonly<Record<string, ToolUsage>>;

/** Account fields of outputs. Empty ones are absent. */
export type ToolAccountFields = {
  /** Sources of the tools' results, each once. */
  readonly sources?: readonly ResultSource[];
  /** Calls of tools with a service, by name. */
  readonly toolUsage?: ToolUsages;
};

type Call = {
  readonly name: string;
  readonly service: string | undefined;
  readonly failed: boolean;
  readonly extras: ResultExtras | undefined;
};

/** Collects the sources and costs of the calls in one piece of work. */
export class ToolAccounts {
  readonly #sources = new Map<string, ResultSource>();
  readonly #usage = new Map<string, ToolUsage>();

  add({ name, service, failed, extras }: Call): void {
    for (const source of extras?.sources ?? []) this.#cite(source);
    if (service === undefined && extras?.cost === undefined) return;
    this.#count(name, {
      calls: 1,
      failures: failed ? 1 : 0,
      ...(extras?.cost?.unit === "credits" ? { credits: extras.cost.amount } : undefined),
      ...(extras?.usd === undefined ? undefined : { usd: extras.usd }),
    });
  }

  /** Adds the fields of other work. */
  include({ sources = [], toolUsage = {} }: ToolAccountFields): void {
    for (const source of sources) this.#cite(source);
    for (const [name, usage] of Object.entries(toolUsage)) this.#count(name, usage);
  }

  get fields(): ToolAccountFields {
    return {
      ...(this.#sources.size === 0 ? undefined : { sources: [...this.#sources.values()] }),
      ...(this.#usage.size === 0 ? undefined : { toolUsage: Object.fromEntries(this.#usage) }),
    };
  }

  #cite(source: ResultSource): void {
    const address = plainAddress(source.url);
    if (!this.#sources.has(address)) this.#sources.set(address, source);
  }

  #count(name: string, usage: ToolUsage): void {
    const known = this.#usage.get(name);
    this.#usage.set(name, known === undefined ? usage : sum(known, usage));
  }
}

/** Combines the fields of several pieces of work. */
export function accountFields(all: readonly ToolAccountFields[]): ToolAccountFields {
  const accounts = new ToolAccounts();
  for (const each of all) accounts.include(each);
  return accounts.fields;
}

function sum(a: ToolUsage, b: ToolUsage): ToolUsage {
  const credits = plus(a.credits, b.credits);
  const usd = plus(a.usd, b.usd);
  return {
    calls: a.calls + b.calls,
    failures: a.failures + b.failures,
    ...(credits === undefined ? undefined : { credits }),
    ...(usd === undefined ? undefined : { usd }),
  };
}

function plus(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : a + (b ?? 0);
}
