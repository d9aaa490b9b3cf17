// State of an agent's capabilities in one conversation, from turn to turn.
//
//   KPT1. A turn's additions are part of its result: an unfinished turn stores none, and a replay finds the same.
//   KPT2. A value is made once for its key, also for concurrent requests.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { Remember } from "../transforms.ts";

/** State before a turn, and the turn's additions. */
export class Kept {
  readonly #before: ReadonlyMap<string, JsonValue>;
  readonly #added = new Map<string, JsonValue>();

  constructor(before: ReadonlyMap<string, JsonValue>) {
    this.#before = before;
  }

  get(key: string): JsonValue | undefined {
    return this.#added.get(key) ?? this.#before.get(key);
  }

  /** Stores a value derived from recorded steps. */
  set(key: string, value: JsonValue): void {
    this.#added.set(key, value);
  }

  /** The turn's additions; undefined without any. */
  get added(): JsonObject | undefined {
    return this.#added.size === 0 ? undefined : Object.fromEntries(this.#added);
  }

  /** Makes values by recorded calls at `name` below `place`, and stores them under that name. */
  remember(place: RunScope, name: string): Remember {
    const making = new Map<string, Promise<JsonValue>>();
    const makeOnce = async (
      key: string,
      make: () => JsonValue | Promise<JsonValue>,
    ): Promise<JsonValue> => {
      const made = await place.at(name).at(key).callOnce(make);
      this.set(`${name}/${key}`, made);
      return made;
    };
    return async <T extends JsonValue>(key: string, make: () => T | Promise<T>) => {
      const known = this.get(`${name}/${key}`);
      if (known !== undefined) return known as T;
      const made = making.get(key) ?? makeOnce(key, make);
      making.set(key, made);
      return (await made) as T;
    };
  }
}
