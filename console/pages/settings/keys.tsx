import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState, type FormEvent } from "react";
import { EngineError, type KeyView } from "../../../src/client/index.ts";
import { client } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Moment } from "../../parts/time.tsx";
import { fieldText } from "../../parts/form-text.ts";
import { errorText } from "../../shell/error-text.ts";
import { useSession } from "../../shell/session.ts";
import { Answered, Empty } from "../../shell/states.tsx";
import { ScopeChoices } from "./scope-choices.tsx";
import { INCLUDED, SCOPES, type Scope } from "./scopes.ts";
import { ShownOnce } from "./shown-once.tsx";
import { TableScroll } from "../../parts/table-scroll.tsx";

export function Keys() {
  const [deleted, del] = useState<KeyView>();
  const query = useInfiniteQuery({
    queryKey: ["settings", "keys"],
    queryFn: ({ pageParam }) =>
      client.keys.list({ limit: 100, ...(pageParam === "" ? undefined : { cursor: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  return (
    <Answered query={query}>
      {({ pages }) => {
        const keys = pages.flatMap(({ items }) => items);
        return (
          <>
            <NewKey />
            <section className="card" aria-label="Keys">
              <header>
                <h2>Keys</h2>
              </header>
              {keys.length === 0 ? (
                <Empty title="There is no key yet">
                  <p>
                    A key is how programs call this Worker. The secret{" "}
                    <code>EDGECREW_ADMIN_KEY</code> is one by itself, and not in this list.
                  </p>
                </Empty>
              ) : (
                <KeyTable keys={keys} onDelete={del} />
              )}
              {query.hasNextPage && (
                <p className="table-foot">
                  <button
                    type="button"
                    className="button small"
                    onClick={() => void query.fetchNextPage()}
                  >
                    More keys
                  </button>
                </p>
              )}
            </section>
            {deleted !== undefined && <DeleteKey of={deleted} onClose={() => del(undefined)} />}
          </>
        );
      }}
    </Answered>
  );
}

type TableProps = {
  readonly keys: readonly KeyView[];
  readonly onDelete: (key: KeyView) => void;
};

function KeyTable({ keys, onDelete }: TableProps) {
  return (
    <TableScroll label="All keys">
      <table aria-label="Keys">
        <thead>
          <tr>
            <th>Name</th>
            <th>Tenant</th>
            <th>May</th>
            <th>Made</th>
            <th>Ends</th>
            <th>Last used</th>
            <th>
              <span className="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id} data-key-id={key.id}>
              <td>{key.name ?? <span className="soft mono">{key.id}</span>}</td>
              <td>{key.tenant}</td>
              <td>
                {key.scopes.map((scope) => (
                  <div key={scope}>
                    <strong>{scope}</strong> <span className="soft small">{SCOPES[scope]}</span>
                  </div>
                ))}
              </td>
              <td>
                <Moment at={key.createdAt} />
              </td>
              <td>{key.expiresAt === undefined ? "never" : <Moment at={key.expiresAt} />}</td>
              <td>{key.lastUsedOn ?? <span className="soft">not yet</span>}</td>
              <td>
                <button type="button" className="button small" onClick={() => onDelete(key)}>
                  Delete<span className="unseen"> {key.name ?? key.id}</span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  );
}

function NewKey() {
  const id = useId();
  const queries = useQueryClient();
  const session = useSession().data;
  const [scopes, setScopes] = useState<readonly string[]>(["read", "run"]);
  const { mutate, data, isPending, error, reset } = useMutation({
    mutationFn: (form: FormData) => {
      const text = (name: string): string => fieldText(form, name);
      const name = text("name").trim();
      const ends = text("ends");
      return client.keys.create({
        tenant: text("tenant"),
        scopes: scopes as Scope[],
        name,
        ...(ends === "" ? undefined : { expiresAt: new Date(`${ends}T23:59:59`).toISOString() }),
      });
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ["settings", "keys"] }),
    gcTime: 0, // drops the secret
  });
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    mutate(new FormData(event.currentTarget));
  };
  const isTooOld =
    EngineError.is(error) && error.code === "forbidden" && session?.via === "session";
  return (
    <section className="card" aria-label="New key">
      <header>
        <h2>New key</h2>
      </header>
      <form className="card-body form" onSubmit={send}>
        <div className="settings-fields">
          <div className="field">
            <label htmlFor={`${id}name`}>Name</label>
            <input id={`${id}name`} name="name" className="input" maxLength={100} required />
          </div>
          <div className="field">
            <label htmlFor={`${id}tenant`}>Tenant</label>
            <input
              id={`${id}tenant`}
              name="tenant"
              className="input"
              required
              pattern="[A-Za-z0-9_\-]{1,64}"
              defaultValue={session?.tenant ?? "default"}
            />
          </div>
          <div className="field">
            <label htmlFor={`${id}ends`}>
              Ends after <span className="soft">(optional)</span>
            </label>
            <input id={`${id}ends`} name="ends" type="date" className="input" />
          </div>
        </div>
        <ScopeChoices
          legend="It may"
          words={SCOPES}
          included={INCLUDED}
          chosen={scopes}
          onChange={setScopes}
        />
        {error !== null && (
          <p className="fault" role="alert">
            {errorText(error)}{" "}
            {isTooOld && (
              <button
                type="button"
                className="button small"
                onClick={() => void client.session.delete().then(() => location.reload())}
              >
                Sign in again
              </button>
            )}
          </p>
        )}
        <div className="form-actions">
          <button
            type="submit"
            className="button main"
            disabled={isPending || scopes.length === 0 || data !== undefined}
          >
            Make the key
          </button>
          {data !== undefined && (
            <span className="soft small">Close the new key first: it is shown only once.</span>
          )}
        </div>
        {data !== undefined && (
          <ShownOnce
            what="key"
            secret={data.key}
            says="Keep it where the program that needs it finds it, and nowhere else."
            onClose={reset}
          />
        )}
      </form>
    </section>
  );
}

function DeleteKey({ of: key, onClose }: { readonly of: KeyView; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.keys.delete(key.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["settings", "keys"] });
      onClose();
    },
  });
  return (
    <Dialog title={`Delete the key ${key.name ?? key.id}?`} onClose={onClose}>
      <p>
        It stops working with the next request, and sessions that were opened with it end. This
        cannot be taken back.
      </p>
      {error !== null && (
        <p className="fault" role="alert">
          {errorText(error)}
        </p>
      )}
      <div className="form-actions">
        <button type="button" className="button main" disabled={isPending} onClick={() => mutate()}>
          Delete the key
        </button>
        <button type="button" className="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Dialog>
  );
}
