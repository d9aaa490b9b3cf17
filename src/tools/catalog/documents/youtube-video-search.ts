import { plainOptions, sourceSearch } from "./source-search.ts";
import { videoPlace } from "./youtube-place.ts";

/** Searches the speech in a video at YouTube. */
export const youtubeVideoSearch = sourceSearch({
  className: "YoutubeVideoSearchTool",
  displayName: "Search a Youtube Video content",
  description:
    "Finds what is said in a video at YouTube on a question, with the times, if the video has a transcript.",
  argument: "youtube_video_url",
  source: "The video's address",
  options: plainOptions,
  place: videoPlace,
});
