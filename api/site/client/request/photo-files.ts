/** Where a shown body, as JSON, names a file instead of the photo in it; the name is captured. */
export const PHOTO_FILE = /"base64":"([^"]+)"/g;
