/** What the crew of the examples is asked. */
export const RELEASE = {
  product: "Harbour",
  version: "2.4.0",
  log: "8f3c1a2 feat(search): find documents by their authors\n5d2e0f1 feat!: require a signed-in user for shared links",
};

export const TEXT = `Once upon a time, ${"there was a harbour with many ships, and each had a light of its own. ".repeat(5)}`;

/** A crew whose model speaks slowly. */
export const SLOW_CREW = {
  stream: true,
  agents: {
    teller: {
      role: "Teller",
      goal: "Tell stories",
      backstory: "Old",
      llm: { model: "openai/gpt-5-mini" },
    },
  },
  tasks: [
    { name: "story", description: "Tell a story", expectedOutput: "A story", agent: "teller" },
    {
      name: "ending",
      description: "Tell how it ends",
      expectedOutput: "An ending",
      agent: "teller",
    },
  ],
};

/** A crew that uses a tool, and then tells of it. */
export const TOOL_CREW = {
  agents: {
    clerk: {
      role: "Clerk",
      goal: "Count",
      backstory: "Exact",
      llm: "openai/gpt-5-mini",
      tools: ["calculator"],
    },
    teller: { role: "Teller", goal: "Tell", backstory: "Old", llm: "openai/gpt-5-mini" },
  },
  tasks: [
    {
      name: "sum",
      description: "The sum of 40 and 2",
      expectedOutput: "A number",
      agent: "clerk",
    },
    {
      name: "tell",
      description: "Tell the sum of 40 and 2",
      expectedOutput: "A sentence",
      agent: "teller",
    },
  ],
};

/** What must stay text wherever it is shown. */
export const HOSTILE =
  '# Title\n<script>window.stolen=1</script> <img src=x onerror="window.stolen=1"> <svg onload="window.stolen=1"></svg> [x](javascript:window.stolen=1) [y](https://evil.example/) ![p](https://tracker.example/p.png) <style>body{display:none}</style> \u001B[31mred\u001B[0m \u202Egnp.exe "quoted" \'single\' `tick`\n\n' +
  "w".repeat(20_000);

/** A crew whose model fails when it is called for the first time. */
export const SHAKY_CREW = {
  agents: {
    tryer: { role: "Tryer", goal: "Try", backstory: "Patient", llm: "openai/gpt-5-mini" },
  },
  tasks: [{ name: "try", description: "Try shakily", expectedOutput: "A word", agent: "tryer" }],
};

/** Its model is away for as long as a test wants. */
export const AWAY_CREW = {
  agents: SHAKY_CREW.agents,
  tasks: [{ name: "try", description: "Try for long", expectedOutput: "A word", agent: "tryer" }],
};

/** Two tasks side by side, and one that waits for both. */
export const SIDE_CREW = {
  agents: { teller: TOOL_CREW.agents.teller },
  tasks: [
    ...["left", "right"].map((name) => ({
      name,
      description: `Tell the sum of 40 and 2 from the ${name}`,
      expectedOutput: "A sentence",
      agent: "teller",
      asyncExecution: true,
    })),
    {
      name: "both",
      description: "Tell the sum of 40 and 2 of both",
      expectedOutput: "A sentence",
      agent: "teller",
      context: ["left", "right"],
    },
  ],
};

/** A crew whose manager hands its one task on. */
export const TEAM_CREW = {
  process: "hierarchical",
  managerLlm: "openai/gpt-5-mini",
  agents: { teller: TOOL_CREW.agents.teller },
  tasks: [
    {
      name: "lead",
      description: "Have the sum of 40 and 2 told",
      expectedOutput: "A sentence",
    },
  ],
};
