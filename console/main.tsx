import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { EngineError } from "../src/client/index.ts";
import { applyTheme, readTheme } from "./shell/preferences.ts";
import { router } from "./shell/router.tsx";
import { SESSION_KEY } from "./shell/session.ts";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/pages.css";
import "./styles/editor.css";
import "./styles/chart.css";

applyTheme(readTheme());

const queries: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 3 && EngineError.is(error) && error.retryable,
      throwOnError: false,
    },
  },
});

// An ended session shows the login page, on every page.
queries.getQueryCache().subscribe(({ type, query }) => {
  if (type !== "updated" || query.queryKey[0] === SESSION_KEY[0]) return;
  const { error } = query.state;
  if (EngineError.is(error) && error.code === "unauthorized")
    void queries.invalidateQueries({ queryKey: SESSION_KEY });
});

const element = document.getElementById("root");
if (element !== null)
  createRoot(element).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
