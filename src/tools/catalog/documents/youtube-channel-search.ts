import { plainOptions, sourceSearch } from "./source-search.ts";
import { channelPlace } from "./youtube-place.ts";

/** Searches the newest videos of a channel at YouTube, by their titles and descriptions. */
export const youtubeChannelSearch = sourceSearch({
  className: "YoutubeChannelSearchTool",
  displayName: "Search a Youtube Channels content",
  description:
    "Finds which of the newest videos of a channel at YouTube are about something, by their titles and descriptions.",
  argument: "youtube_channel_handle",
  source: "The channel: @handle, or its address",
  options: plainOptions,
  place: channelPlace,
});
