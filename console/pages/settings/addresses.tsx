import { CopyButton } from "../../parts/copy.tsx";
import { Answered } from "../../shell/states.tsx";
import { endpointsOf } from "./endpoints.ts";
import { useAbout } from "./use-about.ts";

/** Addresses to call this Worker. */
export function Addresses() {
  const about = useAbout();
  return (
    <section className="card" aria-label="Addresses">
      <header>
        <h2>Addresses</h2>
      </header>
      <Answered query={about}>
        {({ parts }) => (
          <dl className="facts card-body">
            {endpointsOf(parts).map(({ label, path }) => (
              <div key={label} style={{ display: "contents" }}>
                <dt>{label}</dt>
                <dd className="shown-once">
                  <code>{location.origin + path}</code>
                  <CopyButton text={location.origin + path} label={`Copy the address: ${label}`} />
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Answered>
    </section>
  );
}
