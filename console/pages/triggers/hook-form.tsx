import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState, type FormEvent } from "react";
import { EngineError, type WebhookView } from "../../../src/client/index.ts";
import { client } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { fieldText } from "../../parts/form-text.ts";
import { errorText } from "../../shell/error-text.ts";
import { PointerRows, type PointerRow } from "./pointer-rows.tsx";
import { TargetField } from "./target-field.tsx";
import { useInputSchema, type TriggerTarget } from "./use-targets.ts";

const SCHEMES = {
  github: "GitHub",
  stripe: "Stripe",
  slack: "Slack",
  standard: "Standard Webhooks",
  hmac: "HMAC-SHA256 in a header",
} as const;
type Scheme = keyof typeof SCHEMES;

type Props = { readonly hook?: WebhookView; readonly onClose: () => void };

/** Form for a new or a stored webhook. */
export function HookForm({ hook, onClose }: Props) {
  const id = useId();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [scheme, setScheme] = useState<Scheme>(hook?.scheme ?? "github");
  const [secret, setSecret] = useState("");
  const [target, setTarget] = useState<TriggerTarget | undefined>(hook?.target);
  const [rows, setRows] = useState<readonly PointerRow[]>(() => rowsOf(hook));
  const names = Object.keys((useInputSchema(target)["properties"] ?? {}) as object);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (form: FormData) => {
      if (target === undefined) throw new Error("Choose a target for the webhook.");
      const text = (name: string): string => fieldText(form, name);
      const header = (name: string) => (text(name) === "" ? undefined : { [name]: text(name) });
      const wanted = rows.filter(({ name }) => name.trim() !== "");
      return client.webhooks.put(hook?.name ?? text("name"), {
        scheme,
        target,
        ...(secret === "" ? undefined : { secret }),
        ...(wanted.length === 0
          ? undefined
          : {
              inputs: Object.fromEntries(wanted.map(({ name, pointer }) => [name.trim(), pointer])),
            }),
        ...(scheme === "hmac"
          ? { ...header("signatureHeader"), ...header("idHeader"), ...header("timestampHeader") }
          : undefined),
        ...(hook?.schema === undefined ? undefined : { schema: hook.schema }),
        keepBodies: form.get("keepBodies") !== null,
        ...(hook !== undefined && secret !== "" ? { keepPreviousSeconds: 86_400 } : undefined),
      });
    },
    onSuccess: async (stored) => {
      await queries.invalidateQueries({ queryKey: ["triggers"] });
      onClose();
      await navigate({ to: "/triggers", search: { hook: stored.name } });
    },
  });
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    mutate(new FormData(event.currentTarget));
  };
  return (
    <Dialog
      title={hook === undefined ? "New webhook" : `Change ${hook.name}`}
      isWide
      onClose={onClose}
    >
      <form className="form" onSubmit={send}>
        <div className="pair">
          {hook === undefined && (
            <div className="field">
              <label htmlFor={`${id}name`}>Name</label>
              <input
                id={`${id}name`}
                name="name"
                className="input"
                required
                maxLength={40}
                pattern="[A-Za-z0-9_\-]+"
                aria-describedby={`${id}name-help`}
              />
              <span className="help" id={`${id}name-help`}>
                Part of its address: letters, digits, - and _.
              </span>
            </div>
          )}
          <TargetField
            target={target}
            onChange={(next) => {
              setTarget(next);
              if (hook === undefined) setRows([]);
            }}
          />
        </div>
        <div className="pair">
          <div className="field">
            <label htmlFor={`${id}scheme`}>Signature scheme</label>
            <select
              id={`${id}scheme`}
              className="input"
              value={scheme}
              onChange={(event) => setScheme(event.target.value as Scheme)}
            >
              {Object.entries(SCHEMES).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </div>
          <div className="field">
            <label htmlFor={`${id}secret`}>Secret</label>
            <div className="address">
              <input
                id={`${id}secret`}
                className="input"
                autoComplete="off"
                required={hook === undefined}
                value={secret}
                onChange={(event) => setSecret(event.target.value)}
                aria-describedby={`${id}secret-help`}
              />
              <button
                type="button"
                className="button small"
                onClick={() => setSecret(newSecret(scheme))}
              >
                Make one
              </button>
            </div>
            <span className="help" id={`${id}secret-help`}>
              {hook === undefined
                ? "Shared with the sender. It is not shown again."
                : "Left empty, it stays. The one before stays valid for a day."}
            </span>
          </div>
        </div>
        {scheme === "hmac" && (
          <div className="pair">
            {(
              [
                ["signatureHeader", "Signature in the header", "x-signature"],
                ["idHeader", "Id in the header", "equal bodies count once"],
                ["timestampHeader", "Time in the header", "not signed"],
              ] as const
            ).map(([field, label, otherwise]) => (
              <div key={field} className="field">
                <label htmlFor={id + field}>{label}</label>
                <input
                  id={id + field}
                  name={field}
                  className="input"
                  placeholder={otherwise}
                  defaultValue={hook?.[field] ?? ""}
                />
              </div>
            ))}
          </div>
        )}
        <PointerRows rows={rows} names={names} onChange={setRows} />
        <label className="choice">
          <input type="checkbox" name="keepBodies" defaultChecked={hook?.keepBodies === true} />
          Keep the bodies of deliveries
        </label>
        {error !== null && (
          <p className="fault" role="alert">
            {errorText(error)}
            {EngineError.is(error) &&
              error.issues?.map(({ path, message }) => ` ${path}: ${message}.`)}
          </p>
        )}
        <div className="form-actions">
          <button type="submit" className="button main" disabled={isPending}>
            {hook === undefined ? "Create the webhook" : "Save"}
          </button>
          <button type="button" className="button" onClick={onClose}>
            Close
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function rowsOf(hook: WebhookView | undefined): readonly PointerRow[] {
  const { inputs } = hook ?? {};
  if (inputs === undefined || typeof inputs === "string") return [];
  return Object.entries(inputs).map(([name, pointer]) => ({ name, pointer }));
}

function newSecret(scheme: Scheme): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const text = btoa(String.fromCharCode(...bytes));
  return scheme === "standard" ? `whsec_${text}` : text;
}
