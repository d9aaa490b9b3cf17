import { useQuery } from "@tanstack/react-query";
import { transport } from "../../api.ts";
import { formatCost, formatCount, inWords } from "../../parts/format.ts";
import { useSession } from "../../shell/session.ts";
import { Answered } from "../../shell/states.tsx";
import { useAbout } from "./use-about.ts";

type Tenant = {
  readonly quotas: Readonly<Record<string, number>>;
  readonly used: Readonly<Record<string, number>>;
};

/** Limits and usage of the tenant. Empty if the app has no quotas. */
export function Quotas() {
  const tenant = useSession().data?.tenant ?? "default";
  const isThere = useAbout().data?.parts.includes("quotas") === true;
  const query = useQuery({
    queryKey: ["settings", "quotas", tenant],
    queryFn: () => transport.json<Tenant>(`/tenants/${encodeURIComponent(tenant)}`),
    enabled: isThere,
    retry: false,
  });
  if (!isThere) return null;
  return (
    <section className="card" aria-label="Quotas">
      <header>
        <h2>Quotas</h2>
      </header>
      <Answered query={query}>
        {({ quotas, used }) => (
          <div className="card-body stack">
            {Object.keys(quotas).length === 0 && <p className="soft">No limits are set.</p>}
            {Object.entries(quotas).map(([name, limit]) => {
              const text = /cost/i.test(name) ? formatCost : formatCount;
              const has = used[name];
              return (
                <div key={name} className="quota">
                  <span>{inWords(name.replace(/Usd/, ""))}</span>
                  {has === undefined ? (
                    <span />
                  ) : (
                    <meter
                      min={0}
                      max={Math.max(limit, 1e-9)}
                      high={limit * 0.8}
                      value={has}
                      aria-label={inWords(name)}
                    />
                  )}
                  <span className="number">
                    {has !== undefined && `${text(has)} of `}
                    {text(limit)}
                  </span>
                </div>
              );
            })}
          </div>
        )}
      </Answered>
    </section>
  );
}
