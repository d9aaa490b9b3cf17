export { youtubeSearch } from "./youtube-search.ts";
