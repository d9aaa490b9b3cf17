// What an agent's capabilities keep of one conversation, from turn to turn.
//
//   KPT1. What a turn keeps is part of its result: a turn that did not end keeps nothing, and a replay finds the same.
//   KPT2. A thing is made once for its key, also where it is asked for twice at the same time.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { Remember } from "../transforms.ts";

/** What was kept before a turn, and what the turn adds. */
export class Kept {
  readonly #before: ReadonlyMap<string, JsonValue>;
  readonly #added = new Map<string, JsonValue>();

  constructor(before: ReadonlyMap<string, JsonValue>) {
    this.#before = before;
  }

  get(key: string): JsonValue | undefined {
    return this.#added.get(key) ?? this.#before.get(key);
  }

  /** Keeps a value that follows from recorded steps. */
  set(key: string, value: JsonValue): void {
    this.#added.set(key, value);
  }

  /** What the turn adds; undefined where that is nothing. */
  get added(): JsonObject | undefined {
    return this.#added.size === 0 ? undefined : Object.fromEntries(this.#added);
  }

  /** Makes things by recorded calls at `name` below `place`, and keeps them under that name. */
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
