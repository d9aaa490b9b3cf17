// Viewer of an operation on memories: the records that it sees, and the memory that it saves to.
import { EngineError } from "../../base/error.ts";
import type { OperationRequest } from "../../parts/operation.ts";
import { invalidInput } from "../../parts/problem.ts";
import { checkScope } from "../../parts/rights.ts";
import { checkScopePath, joinScopePaths } from "../memory-path.ts";
import type { Memory } from "../memory.ts";
import type { MemoryRecord } from "../memory-record.ts";
import type { RecordFilter } from "../memory-records.ts";
import type { MemoryScope } from "../memory-scope.ts";
import { memoryOwner } from "../person-scope.ts";
import { passesFilter } from "../record-filter.ts";

/** Fields of a request that name its viewer. */
export type ViewerFields = {
  readonly source?: string | undefined;
  readonly includePrivate?: boolean | undefined;
  readonly person?: string | undefined;
};

type Asking = Pick<OperationRequest, "scopes" | "person">;

export class MemoryViewer {
  /** Id of the person whose memory is in use. */
  readonly person: string | undefined;
  /** Condition of the visible records. */
  readonly filter: Pick<RecordFilter, "scope" | "visibleTo">;

  /** Throws `forbidden` and `invalid_input`. */
  constructor(
    request: Asking,
    {
      source,
      includePrivate = false,
      person: named,
    }: ViewerFields & { readonly private?: unknown },
  ) {
    this.person = request.person ?? named;
    if (request.person !== undefined && named !== undefined && named !== request.person)
      throw new EngineError("forbidden", "this token is for the memory of another person");
    if (includePrivate) checkScope(request, "admin", "includePrivate");
    if (this.person === undefined) {
      this.filter = includePrivate ? {} : { visibleTo: source ?? null };
      return;
    }
    if (source !== undefined)
      throw invalidInput("the request does not fit", [
        {
          path: "/source",
          message: "expected nothing: a person's memories have the person as source",
        },
      ]);
    const owner = memoryOwner(this.person);
    this.filter = {
      scope: owner.scope,
      ...(includePrivate ? undefined : { visibleTo: owner.source }),
    };
  }

  /** The whole memory, or the person's. */
  of(memory: Memory): Memory | MemoryScope {
    return this.person === undefined ? memory : memory.person(this.person);
  }

  /** Returns the filter of a list at a path; a person's path is below the person's. */
  at(scope: string | undefined): Pick<RecordFilter, "scope" | "visibleTo"> {
    if (scope === undefined) return this.filter;
    return {
      ...this.filter,
      scope: joinScopePaths(this.filter.scope, checkScopePath(scope, "scope")),
    };
  }

  sees(record: MemoryRecord): boolean {
    return passesFilter(record, this.filter);
  }
}
