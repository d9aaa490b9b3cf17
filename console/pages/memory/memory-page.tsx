import { useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Icon } from "../../parts/icon.tsx";
import { useMay } from "../../shell/session.ts";
import { Answered, Empty } from "../../shell/states.tsx";
import { IndexState } from "./index-state.tsx";
import { Recall } from "./recall.tsx";
import { RecordDialog } from "./record-dialogs.tsx";
import { Records } from "./records.tsx";
import { ScopeTree, useScopes } from "./scope-tree.tsx";
import "./memory.css";

export function MemoryPage() {
  const { scope = "/" }: { readonly scope?: string } = useSearch({ strict: false });
  const [isSaving, save] = useState(false);
  const mayRun = useMay("run");
  const query = useScopes("/");
  useEffect(() => {
    document.title = "Memory · Edgecrew";
  }, []);
  return (
    <div className="page">
      <div className="page-head">
        <h1>Memory</h1>
        <span className="spread" />
        {mayRun && (
          <button type="button" className="button" onClick={() => save(true)}>
            <Icon name="plus" size={14} /> Save a memory
          </button>
        )}
      </div>
      <IndexState />
      <Answered query={query}>
        {(root) =>
          root.count + root.below === 0 ? (
            <NothingYet />
          ) : (
            <div className="memory-columns">
              <section className="card card-body">
                <ScopeTree root={root} chosen={scope} />
              </section>
              <Records key={scope} scope={scope} onSave={() => save(true)} />
              <Recall scope={scope} />
            </div>
          )
        }
      </Answered>
      {isSaving && <RecordDialog scope={scope} onClose={() => save(false)} />}
    </div>
  );
}

function NothingYet() {
  return (
    <Empty title="No memories yet">
      <p>
        A crew with <code>memory: true</code> saves results of its tasks, and recalls fitting
        memories for the next one. You can also save a memory by hand, or over HTTP:
      </p>
      <pre className="value">{`curl ${location.origin}/memory -H 'content-type: application/json' \\\n  -d '{ "content": "Acme pays by invoice.", "scope": "/customers/acme" }'`}</pre>
    </Empty>
  );
}
