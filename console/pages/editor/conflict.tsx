import { lazy, Suspense } from "react";
import { Loading } from "../../shell/states.tsx";
import type { Begin } from "./source.ts";

const SideBySide = lazy(() => import("../../parts/side-by-side.tsx"));

type Props = { readonly other: Begin; readonly mine: string; readonly onTake: () => void };

/** Another person stored a version meanwhile. Shows it beside the reader's own text, which stays in the editor. */
export function Conflict({ other, mine, onTake }: Props) {
  if (other.version === 0)
    return (
      <div className="note wait" role="alert">
        <div>Somebody deleted it meanwhile. Yours is still here.</div>
      </div>
    );
  return (
    <section className="card" aria-label="Two versions">
      <header>
        <h2 role="alert">Somebody stored version {other.version} meanwhile</h2>
        <button type="button" className="button small" onClick={onTake}>
          Take theirs
        </button>
      </header>
      <div className="card-body stack">
        <p className="soft">
          Copy changes that you want from theirs into your text, then save yours over it.
        </p>
        <Suspense fallback={<Loading />}>
          <SideBySide
            left={{ title: `Theirs, version ${other.version}`, text: other.text }}
            right={{ title: "Yours", text: mine }}
          />
        </Suspense>
      </div>
    </section>
  );
}
