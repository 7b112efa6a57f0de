import type { VariantRecord } from '../import/records';
import { fieldOf } from './columns';
import { variantId } from './ids';
import { distinct, pairsIn, type RowFault, type Rows, type TableRow, type TableRows } from './table-rows';

interface Variant {
  readonly row: TableRow;
  readonly sku: string | null;
  readonly options: readonly string[];
  /** In bundle form. */
  readonly value: Pick<VariantRecord, 'id' | 'fields' | 'images'>;
}

const OPTIONS = ['1', '2', '3'] as const;
const cellsOf = ({ cells }: TableRow): string => JSON.stringify([...cells]);
const DEFAULT_OPTION = /^default(?: title)?$/i;

export class ProductVariants {
  constructor(private readonly table: TableRows) {}

  /** The variants of a product, the rows that name one of them again, and the lines of those that only repeat a row. */
  of(key: string, rows: Rows) {
    const variants = new Map<string, Variant>();
    const faults: RowFault[] = [];
    const repeated: number[] = [];
    const fieldsOf = this.#fields(rows);
    for (const row of this.#ownRows(rows)) {
      const fields = fieldsOf(row);
      const options = fields.map(({ name }) => name);
      const id = this.table.one(row, 'group') === null ? null : this.table.one(row, 'id');
      const sku = id === null ? this.table.one(row, 'sku') : null;
      const sharing = [...variants.values()].filter((each) => sku !== null && each.sku === sku);
      // The first row of a SKU has the id that it would have alone.
      const parts = [sku ?? [], sku === null || sharing.length > 0 ? options : []].flat();
      const name = id ?? (parts.join('/') || 'default');
      const hasAll = (each: Variant) => options.every((option) => each.options.includes(option));
      const before = variants.get(name) ?? sharing.find(hasAll);
      if (before && cellsOf(before.row) === cellsOf(row)) repeated.push(row.line);
      else if (before) {
        const reason = `"${name}" is a variant of this product in line ${before.row.line} already`;
        faults.push({ line: row.line, field: 'variants', reason });
      } else {
        const images = this.#pictures(row, rows.length > 1);
        variants.set(name, { row, sku, options, value: { id: variantId(key, name), fields, images } });
      }
    }
    return { variants: [...variants.values()], faults, repeated };
  }

  /** Where variants have rows of their own, the product's row is none, nor are others that belong to it. */
  #ownRows(rows: Rows): Rows {
    const { columns } = this.table;
    const children = rows.filter((row) => this.table.isVariant(row));
    const own = children.length > 0 ? children : columns.of.has('row') ? rows.slice(0, 1) : rows;
    // Further rows may contain only pictures.
    const isNamed = (row: TableRow) =>
      (['sku', 'price', 'option1_value', 'size'] as const).some(
        (field) => this.table.one(row, field) !== null,
      );
    return own.filter((row, at) => at === 0 || columns.format === 'google' || isNamed(row));
  }

  /** Reads what tells a variant from others of its product. */
  #fields(rows: Rows): (row: TableRow) => VariantRecord['fields'] {
    const { table } = this;
    const names = OPTIONS.map((option) => table.first(rows, `option${option}_name`) ?? `option ${option}`);
    const colours = distinct(rows.map((row) => table.one(row, 'colour')));
    const ownFields = colours.length > 1 ? (['size', 'colour'] as const) : (['size'] as const);
    return (row) => {
      const options = OPTIONS.map((option, position) => ({
        field: (names[position] ?? '').toLowerCase(),
        name: table.one(row, `option${option}_value`),
      }));
      const listed = (table.isVariant(row) && table.one(row, 'options')) || '';
      return [
        ...options.filter(({ name }) => name === null || !DEFAULT_OPTION.test(name)),
        ...pairsIn(listed).map(([name, value]) => ({ field: fieldOf(name) ?? name, name: value })),
        ...ownFields.map((field) => ({ field, name: table.one(row, field) })),
      ].flatMap(({ field, name }) => (name === null ? [] : [{ field, name }]));
    };
  }

  #pictures(row: TableRow, isOneOfSeveral: boolean): string[] {
    const isOwn = this.table.columns.format === 'google' || this.table.isVariant(row);
    return [
      ...this.table.pictures(row, 'variant_image'),
      ...(isOneOfSeveral && isOwn ? this.table.pictures(row, 'images') : []),
    ];
  }
}
