/** A crew whose form has each kind of field. */
export const FORM_CREW = {
  inputSchema: {
    type: "object",
    properties: {
      city: { type: "string", minLength: 2, title: "City" },
      notes: { type: "string" },
      size: { enum: ["small", "large"] },
      month: { enum: ["jan", "feb", "mar", "apr", "may", "jun"] },
      people: { type: "integer", minimum: 1, maximum: 9, default: 2 },
      isUrgent: { type: "boolean" },
      day: { type: "string", format: "date" },
      mail: { type: "string", format: "email" },
      tags: { type: "array", items: { type: "string", pattern: "^[a-z]+$" }, maxItems: 3 },
      colours: { type: "array", items: { enum: ["red", "green"] } },
      stops: {
        type: "array",
        items: {
          type: "object",
          properties: { place: { type: "string" }, nights: { type: "integer" } },
          required: ["place"],
        },
      },
      hotel: {
        type: "object",
        properties: { name: { type: "string" }, stars: { type: "integer" } },
      },
      way: {
        oneOf: [
          {
            type: "object",
            title: "By train",
            properties: { kind: { const: "train" }, seat: { type: "string" } },
            required: ["kind"],
          },
          {
            type: "object",
            title: "By car",
            properties: { kind: { const: "car" }, plate: { type: "string" } },
            required: ["kind", "plate"],
          },
        ],
      },
      anything: {},
      extra: { type: "object" },
    },
    required: ["city"],
  },
  agents: { guide: { role: "Guide", goal: "Plan trips", backstory: "You plan." } },
  tasks: [
    {
      name: "plan",
      description: "Plan a trip to {city}",
      expectedOutput: "A plan",
      agent: "guide",
    },
  ],
};

/** A crew that is asked to read a file. */
export const FILE_CREW = {
  inputSchema: {
    type: "object",
    properties: { report: { type: "object", "x-edgecrew": "file" } },
    required: ["report"],
  },
  agents: { reader: { role: "Reader", goal: "Read reports", backstory: "You read." } },
  tasks: [
    {
      name: "read",
      description: "Sum up the report",
      expectedOutput: "A summary",
      agent: "reader",
    },
  ],
};

export const TEA_CREW = `agents:
  # what the shop says
  clerk:
    role: Clerk
    goal: Answer
    backstory: You sell tea.
tasks:
  answer:
    description: Answer about {topic}
    agent: clerk
    expected_output: An answer
`;
