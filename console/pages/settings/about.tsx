import { CopyButton } from "../../parts/copy.tsx";
import { formatBytes, formatCount, inWords } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Age, Moment } from "../../parts/time.tsx";
import { Answered } from "../../shell/states.tsx";
import { useAbout } from "./use-about.ts";

const LIMITS: Readonly<Record<string, string>> = { maxBodyBytes: "Longest request body" };

/** Facts about the Worker, and its missing features. */
export function AboutWorker() {
  const about = useAbout();
  return (
    <Answered query={about}>
      {({ version, code, parts, counts, models, limits, storage, sweeper, missing }) => (
        <>
          <section className="card" aria-label="Missing setup">
            <header>
              <h2>Missing setup</h2>
            </header>
            <div className="card-body stack">
              {missing.length === 0 && <p className="soft">Nothing.</p>}
              {missing.map((lack) => (
                <div key={lack.code} className="note wait">
                  <Icon name="failed" />
                  <div>
                    {lack.message.charAt(0).toUpperCase() + lack.message.slice(1)}.
                    <div className="shown-once">
                      <code>{lack.fix}</code>
                      <CopyButton text={lack.fix} label={`Copy the fix for ${lack.code}`} />
                    </div>
                  </div>
                </div>
              ))}
            </div>
          </section>
          <section className="card" aria-label="This Worker">
            <header>
              <h2>This Worker</h2>
            </header>
            <dl className="facts card-body">
              <dt>Edgecrew</dt>
              <dd>{version}</dd>
              {code.id !== undefined && (
                <>
                  <dt>Deployed code</dt>
                  <dd>
                    <span className="mono">{code.id}</span> {code.tag}
                    {code.at !== undefined && (
                      <>
                        , <Moment at={code.at} />
                      </>
                    )}
                  </dd>
                </>
              )}
              <dt>Parts</dt>
              <dd>{parts.join(", ")}</dd>
              <dt>In the code</dt>
              <dd>
                {Object.entries(counts)
                  .map(([kind, count]) => `${formatCount(count)} × ${kind}`)
                  .join(", ")}
              </dd>
              <dt>Default model</dt>
              <dd>{models.default}</dd>
              <dt>Keys of models</dt>
              <dd>{models.keys.length === 0 ? "none are set" : models.keys.join(", ")}</dd>
              {storage.d1Migrations !== undefined && (
                <>
                  <dt>Database</dt>
                  <dd>
                    {formatCount(storage.d1Migrations.applied.length)} migrations
                    {storage.d1Migrations.pending.length > 0 &&
                      `, and lacks ${storage.d1Migrations.pending.join(", ")}`}
                  </dd>
                </>
              )}
              {storage.objectSchema !== undefined && (
                <>
                  <dt>Objects</dt>
                  <dd>schema {storage.objectSchema.writes}</dd>
                </>
              )}
              <dt>Sweeper</dt>
              <dd>
                {sweeper.lastAt === undefined ? (
                  "has not run yet"
                ) : (
                  <>
                    came <Age at={sweeper.lastAt} />
                  </>
                )}
              </dd>
            </dl>
          </section>
          <section className="card" aria-label="Limits">
            <header>
              <h2>Limits</h2>
            </header>
            <dl className="facts card-body">
              {Object.entries(limits).map(([name, limit]) => (
                <div key={name} style={{ display: "contents" }}>
                  <dt>{LIMITS[name] ?? inWords(name)}</dt>
                  <dd>{/bytes/i.test(name) ? formatBytes(limit) : formatCount(limit)}</dd>
                </div>
              ))}
            </dl>
          </section>
        </>
      )}
    </Answered>
  );
}
