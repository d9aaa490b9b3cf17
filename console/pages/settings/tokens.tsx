import { useMutation } from "@tanstack/react-query";
import { useId, useState, type FormEvent } from "react";
import { EngineError } from "../../../src/client/index.ts";
import { client } from "../../api.ts";
import { fieldText } from "../../parts/form-text.ts";
import { errorText } from "../../shell/error-text.ts";
import { TargetField } from "../triggers/target-field.tsx";
import type { TriggerTarget } from "../triggers/use-targets.ts";
import { ScopeChoices } from "./scope-choices.tsx";
import { TOKEN_SCOPES, type TokenScope } from "./scopes.ts";
import { ShownOnce } from "./shown-once.tsx";

const TIMES = { 900: "15 minutes", 3600: "1 hour", 86400: "1 day" } as const;

/** Tokens for front ends: for existing runs, or to start one. */
export function Tokens() {
  const id = useId();
  const [isForRuns, setForRuns] = useState(true);
  const [target, setTarget] = useState<TriggerTarget>();
  const [scopes, setScopes] = useState<readonly string[]>(["read"]);
  const { mutate, data, isPending, error, reset } = useMutation({
    mutationFn: (form: FormData) => {
      const text = (name: string): string => fieldText(form, name);
      const by = text("by");
      const person = text("person");
      const runs = text("runs")
        .split(/[\s,]+/)
        .filter(Boolean);
      if (!isForRuns && target === undefined) throw new Error("Choose a target for the token.");
      return client.tokens.create({
        ...(isForRuns || target === undefined ? { runs } : { target }),
        scopes: scopes as TokenScope[],
        ttlSeconds: Number(text("ttl")),
        ...(by === "" ? undefined : { by }),
        ...(person === "" ? undefined : { person }),
      });
    },
    gcTime: 0, // drops the secret
  });
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    mutate(new FormData(event.currentTarget));
  };
  const { kickoff, ...ofRuns } = TOKEN_SCOPES;
  return (
    <section className="card" aria-label="Tokens">
      <header>
        <h2>Token for a front end</h2>
      </header>
      <form className="card-body form" onSubmit={send}>
        <p className="help">
          A page that follows a run in a browser gets a token in place of a key: for some runs, or
          to start one, and for a short time.
        </p>
        <div className="cluster">
          {(["runs", "target"] as const).map((each) => (
            <label key={each} className="choice">
              <input
                type="radio"
                name="of"
                checked={(each === "runs") === isForRuns}
                onChange={() => {
                  setForRuns(each === "runs");
                  setScopes(each === "runs" ? ["read"] : ["kickoff"]);
                }}
              />
              {each === "runs" ? "For runs" : "To start one run"}
            </label>
          ))}
        </div>
        <div className="settings-fields">
          {isForRuns ? (
            <div className="field">
              <label htmlFor={`${id}runs`}>Ids of runs</label>
              <input
                id={`${id}runs`}
                name="runs"
                className="input mono"
                required
                placeholder="up to 20, with spaces between them"
              />
            </div>
          ) : (
            <TargetField target={target} onChange={setTarget} />
          )}
          <div className="field">
            <label htmlFor={`${id}ttl`}>Good for</label>
            <select id={`${id}ttl`} name="ttl" className="input" defaultValue="900">
              {Object.entries(TIMES).map(([seconds, label]) => (
                <option key={seconds} value={seconds}>
                  {label}
                </option>
              ))}
            </select>
          </div>
          <div className="field">
            <label htmlFor={`${id}by`}>
              For whom <span className="soft">(optional)</span>
            </label>
            <input id={`${id}by`} name="by" className="input" maxLength={100} />
          </div>
          <div className="field">
            <label htmlFor={`${id}person`}>Id of the person</label>
            <input id={`${id}person`} name="person" className="input mono" maxLength={256} />
            <span className="help">The owner of the memory that its runs and the token use.</span>
          </div>
        </div>
        <ScopeChoices
          legend="It may"
          words={
            isForRuns ? ofRuns : { kickoff, file: TOKEN_SCOPES.file, person: TOKEN_SCOPES.person }
          }
          chosen={scopes}
          onChange={setScopes}
        />
        <Refusal error={error} />
        <div className="form-actions">
          <button type="submit" className="button main" disabled={isPending || scopes.length === 0}>
            Make the token
          </button>
        </div>
        {data !== undefined && (
          <ShownOnce
            what="token"
            secret={data.token}
            says={`It ends at ${new Date(data.expiresAt).toLocaleString()}.`}
            onClose={reset}
          />
        )}
      </form>
      <Revoke />
    </section>
  );
}

function Revoke() {
  const id = useId();
  const { mutate, isPending, error, isSuccess } = useMutation({
    mutationFn: (text: string) =>
      client.tokens.revoke(text.startsWith("ect_") ? { token: text } : { runs: [text] }),
  });
  return (
    <form
      className="card-body form"
      aria-label="End tokens"
      onSubmit={(event) => {
        event.preventDefault();
        mutate(fieldText(new FormData(event.currentTarget), "what"));
      }}
    >
      <div className="field">
        <label htmlFor={id}>End a token, or all tokens of a run</label>
        <div className="cluster">
          <input
            id={id}
            name="what"
            className="input mono spread"
            required
            autoComplete="off"
            placeholder="ect_… or a run's id"
          />
          <button type="submit" className="button" disabled={isPending}>
            End
          </button>
        </div>
      </div>
      <Refusal error={error} />
      {isSuccess && <p role="status">Ended: it is refused from now on.</p>}
    </form>
  );
}

function Refusal({ error }: { readonly error: unknown }) {
  if (error === null) return null;
  return (
    <p className="fault" role="alert">
      {errorText(error)}
      {EngineError.is(error) && error.issues?.map(({ path, message }) => ` ${path}: ${message}.`)}
    </p>
  );
}
