import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { WebhookView } from "../../../src/client/index.ts";
import { client } from "../../api.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Moment } from "../../parts/time.tsx";
import { errorText } from "../../shell/error-text.ts";
import { useMay, useSession } from "../../shell/session.ts";
import { Answered } from "../../shell/states.tsx";
import { Deliveries } from "./deliveries.tsx";
import { HookForm } from "./hook-form.tsx";
import { HookTest } from "./hook-test.tsx";
import { TargetLink } from "./target-link.tsx";

type Props = { readonly name: string; readonly outcome: string | undefined };

export function HookDetails({ name, outcome }: Props) {
  const query = useQuery({
    queryKey: ["triggers", "hook", name],
    queryFn: () => client.webhooks.get(name),
  });
  return (
    <div className="stack">
      <section className="card" aria-label={`Webhook ${name}`}>
        <Answered query={query}>{(hook) => <Shown hook={hook} />}</Answered>
      </section>
      {query.data !== undefined && <Deliveries hook={name} outcome={outcome} />}
    </div>
  );
}

function Shown({ hook }: { readonly hook: WebhookView }) {
  const { name, scheme, target, source, path, inputs, previousSecretUntil, keepBodies } = hook;
  const isAdmin = useMay("admin");
  const tenant = useSession().data?.tenant ?? "default";
  const [shown, show] = useState<"edit" | "delete" | "test">();
  const address = addressOf(path, tenant);
  return (
    <>
      <header>
        <h2 className="cut">{name}</h2>
        <Link to="/triggers" className="button small only-narrow">
          All triggers
        </Link>
      </header>
      <div className="card-body stack">
        <dl className="facts">
          <dt>Address</dt>
          <dd className="address">
            <code>{address}</code>
            <CopyButton text={address} label="Copy the address" />
          </dd>
          <dt>Signature scheme</dt>
          <dd>
            {scheme}
            {hook.signatureHeader !== undefined && `, in ${hook.signatureHeader}`}
          </dd>
          <dt>Starts</dt>
          <dd>
            <TargetLink target={target} />
          </dd>
          <dt>Comes from</dt>
          <dd>
            {source === "code" ? "the deployed code" : "stored in the console or over the API"}
          </dd>
          <dt>Bodies</dt>
          <dd>{keepBodies === true ? "are kept, each up to 64 KiB" : "are not kept"}</dd>
          {previousSecretUntil !== undefined && (
            <>
              <dt>Previous secret</dt>
              <dd>
                is valid until <Moment at={previousSecretUntil} />
              </dd>
            </>
          )}
          <dt>Inputs</dt>
          <dd>
            <Inputs inputs={inputs} />
          </dd>
        </dl>
        {isAdmin && (
          <div className="cluster">
            <button type="button" className="button" onClick={() => show("test")}>
              Send a test
            </button>
            {source === "stored" && (
              <>
                <button type="button" className="button" onClick={() => show("edit")}>
                  Change
                </button>
                <button type="button" className="button" onClick={() => show("delete")}>
                  Delete
                </button>
              </>
            )}
          </div>
        )}
        {shown === "test" && <HookTest hook={hook} />}
      </div>
      {shown === "edit" && <HookForm hook={hook} onClose={() => show(undefined)} />}
      {shown === "delete" && <DeleteHook name={name} onClose={() => show(undefined)} />}
    </>
  );
}

function addressOf(path: string, tenant: string): string {
  const query = tenant === "default" || path.includes("tenant=") ? "" : `?tenant=${tenant}`;
  return location.origin + path + query;
}

function Inputs({ inputs }: Pick<WebhookView, "inputs">) {
  if (inputs === undefined)
    return (
      <>
        <code>crewai_trigger_payload</code> is the whole body
      </>
    );
  if (typeof inputs === "string")
    return (
      <>
        the object at <code>{inputs === "" ? "the whole body" : inputs}</code>
      </>
    );
  return (
    <ul>
      {Object.entries(inputs).map(([name, pointer]) => (
        <li key={name}>
          {name} is <code>{pointer === "" ? "the whole body" : pointer}</code>
        </li>
      ))}
    </ul>
  );
}

function DeleteHook({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.webhooks.delete(name),
    onSuccess: async () => {
      await navigate({ to: "/triggers" });
      await queries.invalidateQueries({ queryKey: ["triggers", "hooks"] });
    },
  });
  return (
    <Dialog title={`Delete the webhook ${name}?`} onClose={onClose}>
      <p>Its address refuses deliveries from then on. Its past deliveries are deleted, too.</p>
      {error !== null && (
        <p className="fault" role="alert">
          {errorText(error)}
        </p>
      )}
      <div className="form-actions">
        <button type="button" className="button main" disabled={isPending} onClick={() => mutate()}>
          Delete the webhook
        </button>
        <button type="button" className="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Dialog>
  );
}
