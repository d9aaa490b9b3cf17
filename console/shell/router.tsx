import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from "@tanstack/react-router";
import { parseSearch, writeSearch, type SearchRecord } from "./search-text.ts";
import { Shell } from "./shell.tsx";
import { Empty, Failed, Loading } from "./states.tsx";
import { readFilters } from "../pages/runs/filters.ts";

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <Empty title="There is no page at this address">
      <p>Look at the navigation, or press Ctrl K.</p>
    </Empty>
  ),
});

const page = { getParentRoute: () => root } as const;
/** Only the named parameters, as texts. */
const only =
  (...names: readonly string[]) =>
  (search: Record<string, unknown>): SearchRecord =>
    Object.fromEntries(
      names.flatMap((name) => (typeof search[name] === "string" ? [[name, search[name]]] : [])),
    );

const home = createRoute({
  ...page,
  path: "/",
  component: lazyRouteComponent(() => import("../pages/home/home-page.tsx"), "HomePage"),
});
export const runsRoute = createRoute({
  ...page,
  path: "/runs",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("../pages/runs/runs-page.tsx"), "RunsPage"),
});
export const runRoute = createRoute({
  ...page,
  path: "/runs/$id",
  validateSearch: only("tab", "step", "under", "q"),
  component: lazyRouteComponent(() => import("../pages/run/run-page.tsx"), "RunPage"),
});
export const compareRoute = createRoute({
  ...page,
  path: "/compare",
  validateSearch: only("left", "right"),
  component: lazyRouteComponent(() => import("../pages/compare/compare-page.tsx"), "ComparePage"),
});
export const inboxRoute = createRoute({
  ...page,
  path: "/inbox",
  validateSearch: only("run", "key", "order"),
  component: lazyRouteComponent(() => import("../pages/inbox/inbox-page.tsx"), "InboxPage"),
});

const triggersRoute = createRoute({
  ...page,
  path: "/triggers",
  validateSearch: only("schedule", "hook", "outcome"),
  component: lazyRouteComponent(
    () => import("../pages/triggers/triggers-page.tsx"),
    "TriggersPage",
  ),
});
const usageRoute = createRoute({
  ...page,
  path: "/usage",
  validateSearch: only("period", "by", "group", "show"),
  component: lazyRouteComponent(() => import("../pages/usage/usage-page.tsx"), "UsagePage"),
});
const settingsRoute = createRoute({
  ...page,
  path: "/settings",
  validateSearch: only("tab"),
  component: lazyRouteComponent(
    () => import("../pages/settings/settings-page.tsx"),
    "SettingsPage",
  ),
});
const openRoute = createRoute({
  ...page,
  path: "/open",
  component: lazyRouteComponent(() => import("../pages/open/open-page.tsx"), "OpenPage"),
});

const listOf = (path: "/crews" | "/flows" | "/agents" | "/conversations") =>
  createRoute({
    ...page,
    path,
    component: lazyRouteComponent(
      () => import("../pages/definitions/targets-page.tsx"),
      "TargetsPage",
    ),
  });
const oneOf = (path: "/crews/$name" | "/flows/$name" | "/agents/$name" | "/conversations/$name") =>
  createRoute({
    ...page,
    path,
    validateSearch: only("tab", "inputs", "from", "template"),
    component: lazyRouteComponent(
      () => import("../pages/definitions/target-page.tsx"),
      "TargetPage",
    ),
  });

const evaluations = createRoute({
  ...page,
  path: "/evaluations",
  validateSearch: only("crew", "left", "right"),
  component: lazyRouteComponent(
    () => import("../pages/evaluate/evaluate-page.tsx"),
    "EvaluatePage",
  ),
});
const memory = createRoute({
  ...page,
  path: "/memory",
  validateSearch: only("scope"),
  component: lazyRouteComponent(() => import("../pages/memory/memory-page.tsx"), "MemoryPage"),
});
const knowledgePage = <const Path extends string>(path: Path) =>
  createRoute({
    ...page,
    path,
    validateSearch: only("document", "chunk"),
    component: lazyRouteComponent(
      () => import("../pages/knowledge/knowledge-page.tsx"),
      "KnowledgePage",
    ),
  });
const chatPage = <const Path extends string>(path: Path) =>
  createRoute({
    ...page,
    path,
    component: lazyRouteComponent(() => import("../pages/chat/chat-page.tsx"), "ChatPage"),
  });

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    runsRoute,
    runRoute,
    compareRoute,
    inboxRoute,
    triggersRoute,
    usageRoute,
    settingsRoute,
    openRoute,
    listOf("/crews"),
    listOf("/flows"),
    listOf("/agents"),
    listOf("/conversations"),
    oneOf("/crews/$name"),
    oneOf("/flows/$name"),
    oneOf("/agents/$name"),
    oneOf("/conversations/$name"),
    evaluations,
    memory,
    knowledgePage("/knowledge"),
    knowledgePage("/knowledge/$collection"),
    chatPage("/chat"),
    chatPage("/chat/$kind"),
    chatPage("/chat/$kind/$name"),
    chatPage("/chat/$kind/$name/$session"),
  ]),
  basepath: "/console",
  parseSearch,
  stringifySearch: writeSearch,
  defaultPendingMs: 150,
  defaultPendingMinMs: 0,
  defaultPendingComponent: () => (
    <div className="page">
      <Loading />
    </div>
  ),
  defaultErrorComponent: ({ error, reset }) => (
    <div className="page">
      <Failed error={error} again={reset} />
    </div>
  ),
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
