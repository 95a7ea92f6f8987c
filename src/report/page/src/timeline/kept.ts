/** What the reader was looking at, kept while another tab is open. */
import { NOTHING, type Search } from "./matching";
import type { View } from "./view";

export const lastLook: { view: View | null; selected: number | null; search: Search; messages: boolean } = {
    view: null,
    selected: null,
    search: NOTHING,
    messages: false,
};
