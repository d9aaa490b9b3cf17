import type {
  DefinitionKind,
  DefinitionStore,
  StoredDefinition,
} from "../../src/parts/definition-store.ts";
import type { ApiKey, KeyStore } from "../../src/parts/key-store.ts";

export class MemoryKeyStore implements KeyStore {
  readonly #keys = new Map<string, { readonly key: ApiKey; readonly hash: string }>();

  async find(hash: string): Promise<ApiKey | undefined> {
    return [...this.#keys.values()].find((entry) => entry.hash === hash)?.key;
  }

  async any(): Promise<boolean> {
    return this.#keys.size > 0;
  }

  async add(key: ApiKey, hash: string): Promise<void> {
    this.#keys.set(key.id, { key, hash });
  }

  async list({
    afterId = "",
    limit,
  }: {
    afterId?: string | undefined;
    limit: number;
  }): Promise<readonly ApiKey[]> {
    const ids = [...this.#keys.keys()].filter((id) => id > afterId).toSorted();
    return ids.slice(0, limit).flatMap((id) => this.#keys.get(id)?.key ?? []);
  }

  async delete(id: string): Promise<boolean> {
    return this.#keys.delete(id);
  }
}

export class MemoryDefinitionStore implements DefinitionStore {
  readonly #entries = new Map<string, StoredDefinition>();

  async get(
    tenant: string,
    kind: DefinitionKind,
    name: string,
  ): Promise<StoredDefinition | undefined> {
    return this.#entries.get(`${tenant}/${kind}/${name}`);
  }

  async list(
    tenant: string,
    kind: DefinitionKind,
    { afterName = "", limit }: { afterName?: string | undefined; limit: number },
  ): Promise<readonly StoredDefinition[]> {
    const prefix = `${tenant}/${kind}/`;
    const keys = [...this.#entries.keys()]
      .filter((key) => key.startsWith(prefix) && key > prefix + afterName)
      .toSorted();
    return keys.slice(0, limit).flatMap((key) => this.#entries.get(key) ?? []);
  }

  async put(
    tenant: string,
    kind: DefinitionKind,
    { name, definition, nowMs }: Parameters<DefinitionStore["put"]>[2],
  ): Promise<boolean> {
    const key = `${tenant}/${kind}/${name}`;
    const existing = this.#entries.get(key);
    this.#entries.set(key, {
      name,
      definition: structuredClone(definition),
      createdAtMs: existing?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
    });
    return existing === undefined;
  }

  async delete(tenant: string, kind: DefinitionKind, name: string): Promise<boolean> {
    return this.#entries.delete(`${tenant}/${kind}/${name}`);
  }
}
