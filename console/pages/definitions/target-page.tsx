import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { EngineError } from "../../../src/client/index.ts";
import type { TargetDetails, TargetKind } from "../../api-types.ts";
import { targetPath, targetsOf } from "../../api.ts";
import { asCurl, CopyAs } from "../../parts/copy.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useMay } from "../../shell/session.ts";
import { Answered, Loading } from "../../shell/states.tsx";
import { ChatLink } from "./chat-link.tsx";
import { useTargetPath, type TargetPath } from "./kinds.ts";
import { Overview } from "./overview.tsx";
import { RunTab } from "./run-tab.tsx";
import { membersOf } from "./targets-page.tsx";

const Editor = lazy(() => import("../editor/definition-editor.tsx"));
const Versions = lazy(() => import("./versions.tsx"));
const Evaluations = lazy(() => import("../evaluate/crew-evaluations.tsx"));

type Search = {
  readonly tab?: string;
  readonly inputs?: string;
  readonly from?: string;
  readonly template?: string;
};
type Tab = "overview" | "run" | "edit" | "versions" | "evaluations";

export function TargetPage() {
  const { path, kind, name } = useTargetPath();
  const search: Search = useSearch({ strict: false });
  const mayRun = useMay("run");
  const mayStore = useMay("admin");
  const navigate = useNavigate();
  const query = useQuery({
    queryKey: ["target", kind, name],
    queryFn: () => targetsOf(kind).get(name),
  });
  useEffect(() => {
    document.title = `${name} · Edgecrew`;
  }, [name]);
  const isNew =
    EngineError.is(query.error) && query.error.code === "not_found" && search.tab === "edit";
  if (isNew && mayStore && kind !== "agent")
    return (
      <div className="page">
        <div className="page-head">
          <h1>{name}</h1>
          <span className="soft">new</span>
        </div>
        <Suspense fallback={<Loading />}>
          <Editor
            key={name}
            kind={kind}
            name={name}
            from={search.from}
            template={search.template}
          />
        </Suspense>
      </div>
    );
  return (
    <div className="page">
      <Answered query={query}>
        {(target) => {
          const tabs = tabsOf(kind, target, { mayRun, mayStore });
          const tab = tabs.find(([each]) => each === search.tab)?.[0] ?? "overview";
          return (
            <>
              <div className="page-head">
                <h1>{target.name}</h1>
                <span className="soft">{membersOf(target)}</span>
                {target.source === "stored" && (
                  <span className="badge">
                    stored{target.version !== undefined && `, version ${target.version}`}
                  </span>
                )}
                {mayRun && kind !== "flow" && <ChatLink kind={kind} name={name} />}
                <CopyAs forms={copyForms(path, kind, name)} />
              </div>
              <TabLinks path={path} name={name} kind={kind} tabs={tabs} tab={tab} />
              <Suspense fallback={<Loading />}>
                {tab === "overview" && <Overview kind={kind} target={target} />}
                {tab === "run" && (
                  <RunTab
                    key={name}
                    kind={kind}
                    target={target}
                    prefill={search.inputs}
                    onStarted={(id) => void navigate({ to: "/runs/$id", params: { id } })}
                  />
                )}
                {tab === "edit" && <Editor key={name} kind={kind} name={name} target={target} />}
                {tab === "versions" && <Versions kind={kind} target={target} />}
                {tab === "evaluations" && <Evaluations target={target} />}
              </Suspense>
            </>
          );
        }}
      </Answered>
    </div>
  );
}

function tabsOf(
  kind: TargetKind,
  { source }: TargetDetails,
  { mayRun, mayStore }: { readonly mayRun: boolean; readonly mayStore: boolean },
): readonly (readonly [Tab, string])[] {
  const isStored = source === "stored";
  const canStore = mayStore && (isStored || kind === "crew");
  return [
    ["overview", "Overview"],
    ...(mayRun ? ([["run", "Run"]] as const) : []),
    ...(canStore ? ([["edit", isStored ? "Edit" : "Duplicate to edit"]] as const) : []),
    ...(isStored ? ([["versions", "Versions"]] as const) : []),
    ...(kind === "crew" ? ([["evaluations", "Evaluations"]] as const) : []),
  ];
}

type TabLinksProps = {
  readonly path: TargetPath;
  readonly kind: TargetKind;
  readonly name: string;
  readonly tabs: readonly (readonly [Tab, string])[];
  readonly tab: Tab;
};

function TabLinks({ path, kind, name, tabs, tab }: TabLinksProps) {
  return (
    <Tabs label={`Views of ${name}`} chosen={tab}>
      {tabs.map(([each, label]) => (
        <Link
          key={each}
          to={`${path}/$name`}
          params={{ name }}
          search={each === "overview" ? {} : { tab: each }}
          aria-current={tab === each ? "page" : undefined}
          activeOptions={{ exact: true }}
        >
          {label}
        </Link>
      ))}
      <Link to="/runs" search={{ kind, name }}>
        Runs
      </Link>
    </Tabs>
  );
}

function copyForms(path: TargetPath, kind: TargetKind, name: string): Record<string, string> {
  const isAgent = kind === "agent";
  const body = isAgent
    ? { messages: "" }
    : kind === "conversation"
      ? { message: "" }
      : { inputs: {} };
  const target = { kind, name };
  const quoted = JSON.stringify(name);
  return {
    Link: location.href,
    curl: asCurl(`${targetPath(kind, name)}/kickoff`, body),
    TypeScript: `const run = await client.${path.slice(1)}.kickoff(${quoted}, ${isAgent ? '""' : JSON.stringify(body)});`,
    "Command line": `npx edgecrew run ${name}`,
    ...(kind === "conversation"
      ? undefined
      : {
          Schedule: asCurl("/schedules", { cron: "0 7 * * *", target }),
          Hook: asCurl(`/hooks/${encodeURIComponent(name)}`, {
            scheme: "standard",
            secret: "",
            target,
          }).replace("curl ", "curl -X PUT "),
        }),
  };
}
