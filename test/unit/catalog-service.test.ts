import type { Billing } from '../../models/access/billing';
import { CatalogService } from '../../models/catalog/catalog-service';
import type { CatalogRepository } from '../../models/ports';
import type { PricingService } from '../../models/pricing/pricing-service';

/** A catalog of handbags alone, with a colour as a facet of its own. */
const handbags: Partial<CatalogRepository> = {
  categories: async () => [
    { id: 'handbags', name: 'Handbags', hierarchy: ['brand', 'model', 'style'], nameFields: ['brand'] },
  ],
  facetFields: async () => ['brand', 'colour', 'model', 'style'],
};

test('the facets of interface.md 4.5 are facets also where the catalog has no row of them', async () => {
  const service = new CatalogService(handbags as CatalogRepository, {} as PricingService, {} as Billing);
  expect([...(await service.facetFields())].sort()).toEqual(
    ['brand', 'case', 'colour', 'dial', 'family', 'model', 'style'].sort(),
  );
});
