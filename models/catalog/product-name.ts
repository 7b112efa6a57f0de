/**
 * A product's name (contract 1.3): the names of its name fields in order, those that it has, one space between.
 *
 * @param nameFields fields of the category that compose the name, usually brand, model, style
 * @param names the first name of each field that the product has
 */
export function composeProductName(
  nameFields: readonly string[],
  names: ReadonlyMap<string, string>,
): string {
  return nameFields
    .map((field) => names.get(field)?.trim() ?? '')
    .filter((name) => name !== '')
    .join(' ');
}
