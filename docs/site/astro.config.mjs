import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";
import { SECTIONS } from "./scripts/sections.ts";

// Where the site will be: sitemaps and canonical addresses need it. Without it there are none.
const site = process.env.SITE;

export default defineConfig({
  ...(site === undefined ? {} : { site }),
  trailingSlash: "always",
  integrations: [
    starlight({
      title: "Edgecrew",
      description: "Crews of AI agents that survive anything, on Cloudflare Workers.",
      customCss: ["./src/site.css"],
      // Long lines break, so that nobody has to scroll sideways.
      expressiveCode: { defaultProps: { wrap: true } },
      sidebar: [
        ...SECTIONS.map(({ title, pages }) => ({
          label: title,
          collapsed: title !== "Start",
          items: pages.map((slug) => ({ slug })),
        })),
        {
          label: "Exported names",
          collapsed: true,
          items: [{ autogenerate: { directory: "api" } }],
        },
        { label: "Design", collapsed: true, items: [{ autogenerate: { directory: "design" } }] },
        {
          label: "Decisions",
          collapsed: true,
          items: [{ autogenerate: { directory: "decisions" } }],
        },
        { slug: "changelog" },
      ],
    }),
  ],
});
