/** A query as people type it, and the products that must come first, in order (ids without `product_`). */
export interface GoldenQuery {
  readonly text: string;
  readonly first: readonly string[];
}

const asked = (text: string, ...first: readonly string[]): GoldenQuery => ({ text, first });

const SUBMARINER_BLACK = 'rolex_submariner_submariner_date_oystersteel_black';
const HULK = 'rolex_submariner_submariner_date_oystersteel_green';
const DAYTONA = 'rolex_daytona_cosmograph_daytona_oystersteel_white';
const DATEJUST_41_BLUE = 'rolex_datejust_datejust_41_white_rolesor_blue';
const DAY_DATE_40 = 'rolex_day_date_day_date_40_yellow_gold_champagne';
const DAY_DATE_40_OLIVE = 'rolex_day_date_day_date_40_everose_gold_olive';
const PEPSI = 'rolex_gmt_master_ii_gmt_master_ii_oystersteel_black';
const NAUTILUS_BLUE = 'patek_philippe_nautilus_nautilus_stainless_steel_blue';
const ROYAL_OAK_JUMBO = 'audemars_piguet_royal_oak_royal_oak_extra_thin_stainless_steel_blue';
const MOONWATCH = 'omega_speedmaster_moonwatch_professional_stainless_steel_black';
const CLASSIC_FLAP = 'chanel_classic_flap_caviar_black';
const CLASSIC_FLAP_LAMBSKIN = 'chanel_classic_flap_lambskin_black';
const BIRKIN_TOGO = 'hermes_birkin_togo_black';
const KELLY_TOGO = 'hermes_kelly_togo_black';
const SPEEDY = 'louis_vuitton_speedy_monogram_brown';
const NEVERFULL = 'louis_vuitton_neverfull_monogram_brown';

/** By what makes each of them hard. */
export const GOLDEN_QUERIES: Readonly<Record<string, readonly GoldenQuery[]>> = {
  'names in full': [
    asked('Chanel Classic Flap', CLASSIC_FLAP, CLASSIC_FLAP_LAMBSKIN, 'chanel_classic_flap_caviar_beige'),
    asked('Louis Vuitton Speedy Monogram', SPEEDY),
    asked('hermes birkin', BIRKIN_TOGO, 'hermes_birkin_togo_gold', 'hermes_birkin_togo_etoupe'),
    asked('rolex submariner', SUBMARINER_BLACK, HULK),
    asked('omega speedmaster moonwatch professional', MOONWATCH),
    asked('lady dior', 'dior_lady_dior_cannage_lambskin_black', 'dior_lady_dior_cannage_lambskin_blush'),
    asked('gucci jackie 1961', 'gucci_jackie_1961_leather_black'),
    asked(
      'vacheron constantin overseas',
      'vacheron_constantin_overseas_overseas_self_winding_stainless_steel_blue',
    ),
  ],
  'a size that only a variant names': [
    asked('chanel jumbo flap', CLASSIC_FLAP, CLASSIC_FLAP_LAMBSKIN),
    asked('chanel maxi caviar', CLASSIC_FLAP),
    asked('birkin 25 togo', BIRKIN_TOGO, 'hermes_birkin_togo_gold', 'hermes_birkin_togo_etoupe'),
    asked('birkin 40', BIRKIN_TOGO),
    asked('kelly 28 epsom', 'hermes_kelly_epsom_gold'),
    asked('speedy 30', SPEEDY, 'louis_vuitton_speedy_damier_ebene_brown'),
    asked('LV neverfull mm', NEVERFULL, 'louis_vuitton_neverfull_damier_ebene_brown'),
    asked('neverfull gm damier azur', 'louis_vuitton_neverfull_damier_azur_white'),
    asked('evelyne tpm', 'hermes_evelyne_clemence_etoupe'),
    asked('keepall 55', 'louis_vuitton_keepall_monogram_brown'),
    asked('constance 18', 'hermes_constance_epsom_black'),
    asked('alma bb', 'louis_vuitton_alma_monogram_brown', 'louis_vuitton_alma_epi_red'),
    asked('dior saddle mini', 'dior_saddle_oblique_jacquard_blue'),
    asked('tank must large', 'cartier_tank_tank_must_stainless_steel_silver'),
  ],
  misspellings: [
    asked('vuiton speedy 30', SPEEDY),
    asked('hermes kely', KELLY_TOGO, 'hermes_kelly_epsom_gold'),
    asked('hermes birken', BIRKIN_TOGO),
    asked('channel classic flap', CLASSIC_FLAP, CLASSIC_FLAP_LAMBSKIN),
    asked('chanell boy', 'chanel_boy_caviar_black'),
    asked('gucci dionysis', 'gucci_dionysus_gg_supreme_beige'),
    asked('botega venetta jodie', 'bottega_veneta_jodie_intreccio_caramel'),
    asked('balenciga city', 'balenciaga_city_agneau_black'),
    asked('givenchi antigona', 'givenchy_antigona_goatskin_black'),
    asked('rolex submarinner', SUBMARINER_BLACK),
    asked('rolex daytna', DAYTONA),
    asked('omega speedmastre', MOONWATCH),
    asked('audemar piguet royal oak', 'audemars_piguet_royal_oak_royal_oak_selfwinding_stainless_steel_blue'),
    asked('patek phillipe nautilus', NAUTILUS_BLUE),
    asked('cartier panthere', 'cartier_panthere_panthere_de_cartier_yellow_gold_silver'),
    asked('jaeger lecoultre revesro', 'jaeger_lecoultre_reverso_reverso_classic_stainless_steel_silver'),
    asked('brietling navitimer', 'breitling_navitimer_navitimer_b01_chronograph_stainless_steel_black'),
    asked('neverful', NEVERFULL),
  ],
  'nicknames and initials': [
    asked('lv speedy', SPEEDY),
    asked('ysl loulou', 'saint_laurent_loulou_matelasse_black'),
    asked('yves saint laurent kate', 'saint_laurent_kate_grain_de_poudre_red'),
    asked('bv cassette', 'bottega_veneta_cassette_intreccio_parakeet'),
    asked('chanel woc', 'chanel_wallet_on_chain_caviar_black'),
    asked('chanel timeless lambskin', CLASSIC_FLAP_LAMBSKIN, 'chanel_classic_flap_lambskin_pink'),
    asked('rolex hulk', HULK),
    asked('rolex pepsi', PEPSI),
    asked('batman gmt', 'rolex_gmt_master_ii_gmt_master_ii_oystersteel_blue_black'),
    asked('rolex panda', DAYTONA),
    asked('polar explorer', 'rolex_explorer_explorer_ii_oystersteel_white'),
    asked('rolex president olive', DAY_DATE_40_OLIVE),
    asked('root beer gmt', 'rolex_gmt_master_ii_gmt_master_ii_everose_rolesor_black'),
    asked('wimbledon datejust', 'rolex_datejust_datejust_41_white_rolesor_slate_roman'),
    asked('ap royal oak jumbo', ROYAL_OAK_JUMBO),
    asked('jlc reverso', 'jaeger_lecoultre_reverso_reverso_classic_stainless_steel_silver'),
    asked('bvlgari octo', 'bulgari_octo_octo_finissimo_titanium_grey'),
    asked('snowflake', 'grand_seiko_heritage_spring_drive_titanium_white'),
    asked('bb58 blue', 'tudor_black_bay_black_bay_fifty_eight_stainless_steel_navy_blue'),
    asked('james bond seamaster', 'omega_seamaster_diver_300m_stainless_steel_blue'),
  ],
  'accents, case and word order': [
    asked('hermès étoupe birkin', 'hermes_birkin_togo_etoupe'),
    asked('HERMES ETOUPE BIRKIN', 'hermes_birkin_togo_etoupe'),
    asked('pochette metis', 'louis_vuitton_pochette_metis_monogram_brown'),
    asked('épi alma', 'louis_vuitton_alma_epi_red'),
    asked('chloe marcie', 'chloe_marcie_grained_calfskin_tan'),
    asked('celine triomphe', 'celine_triomphe_shiny_calfskin_tan'),
    asked('tank francaise', 'cartier_tank_tank_francaise_stainless_steel_silver'),
    asked('tank americaine rose gold', 'cartier_tank_tank_americaine_rose_gold_white'),
    asked('goyard saigon', 'goyard_saigon_goyardine_black'),
    asked('flap classic chanel', CLASSIC_FLAP, CLASSIC_FLAP_LAMBSKIN),
    asked('30 speedy vuitton louis', SPEEDY),
    asked('blue datejust 41 rolex', DATEJUST_41_BLUE),
    asked('dial blue nautilus', NAUTILUS_BLUE),
    asked('crocodile birkin himalaya', 'hermes_birkin_niloticus_crocodile_himalaya'),
  ],
  'plurals and near words': [
    asked('birkins', BIRKIN_TOGO),
    asked('chanel flaps', CLASSIC_FLAP),
    asked('submariners', SUBMARINER_BLACK),
    asked('goyard totes', 'goyard_saint_louis_goyardine_black'),
    asked('fendi baguettes', 'fendi_baguette_ff_jacquard_brown'),
  ],
  'digits, references and their parts': [
    asked('126610LN', SUBMARINER_BLACK),
    asked('116610lv', HULK),
    asked('rolex 126334', DATEJUST_41_BLUE, 'rolex_datejust_datejust_41_white_rolesor_slate_roman'),
    asked('5711/1A-010', NAUTILUS_BLUE),
    asked('5711', NAUTILUS_BLUE, 'patek_philippe_nautilus_nautilus_stainless_steel_white'),
    asked('310.30.42.50.01.001', MOONWATCH),
    asked('15202', ROYAL_OAK_JUMBO),
    asked('day date 40', DAY_DATE_40, DAY_DATE_40_OLIVE),
    asked('day-date 36', 'rolex_day_date_day_date_36_yellow_gold_champagne'),
    asked('datejust 36', 'rolex_datejust_datejust_36_white_rolesor_mint_green'),
    asked('2.55', 'chanel_2_55_reissue_aged_calfskin_black'),
    asked('chanel 19', 'chanel_chanel_19_lambskin_black'),
    asked('chanel 22', 'chanel_chanel_22_shiny_calfskin_white'),
    asked('re-edition 2005', 'prada_re_edition_2005_re_nylon_black'),
    asked('RM 11-03', 'richard_mille_rm_11_rm_11_03_titanium_skeleton'),
    asked('diver 300m', 'omega_seamaster_diver_300m_stainless_steel_blue'),
    asked('30 montaigne', 'dior_30_montaigne_box_calfskin_black'),
    asked('royal oak 41mm', 'audemars_piguet_royal_oak_royal_oak_selfwinding_stainless_steel_blue'),
  ],
  'apostrophes, ampersands and other signs': [
    asked("l'air de rien", 'delvaux_l_air_de_rien_box_calf_ivory'),
    asked('l’air de rien', 'delvaux_l_air_de_rien_box_calf_ivory'),
    asked('lair de rien', 'delvaux_l_air_de_rien_box_calf_ivory'),
    asked("tod's timeless", 'tod_s_t_timeless_smooth_leather_tan'),
    asked('tods timeless', 'tod_s_t_timeless_smooth_leather_tan'),
    asked('dolce & gabbana sicily', 'dolce_gabbana_sicily_dauphine_black'),
    asked('dolce and gabbana sicily', 'dolce_gabbana_sicily_dauphine_black'),
    asked('d&g sicily', 'dolce_gabbana_sicily_dauphine_black'),
    asked('a. lange & söhne', 'a_lange_sohne_lange_1_lange_1_pink_gold_argente'),
    asked('lange 1', 'a_lange_sohne_lange_1_lange_1_pink_gold_argente'),
    asked('pilots watch iwc', 'iwc_pilot_s_watches_big_pilot_stainless_steel_black'),
    asked('le 5 à 7', 'saint_laurent_le_5_a_7_smooth_leather_black'),
    asked('gmt-master ii', PEPSI),
    asked('gmt master 2', PEPSI),
    asked('on the go louis vuitton', 'louis_vuitton_onthego_monogram_brown'),
    asked('her bag hermes', 'hermes_herbag_toile_ebene'),
  ],
  synonyms: [
    asked('alligator birkin', 'hermes_birkin_niloticus_crocodile_himalaya'),
    asked('007 seamaster', 'omega_seamaster_diver_300m_stainless_steel_blue'),
    asked('Paul Newman white', DAYTONA),
    asked('rolex submariner green stainless steel', HULK),
    asked('クラッチ', 'chanel_wallet_on_chain_caviar_black'),
  ],
  'while it is typed': [
    asked('chan', CLASSIC_FLAP, CLASSIC_FLAP_LAMBSKIN),
    asked('louis vuitton nev', NEVERFULL),
    asked('rolex da', SUBMARINER_BLACK, DAYTONA),
    asked('hermes con', 'hermes_constance_epsom_black'),
    asked('patek philippe aq', 'patek_philippe_aquanaut_aquanaut_stainless_steel_black'),
    asked('bottega veneta jo', 'bottega_veneta_jodie_intreccio_caramel'),
    asked('nautil', NAUTILUS_BLUE),
    asked('12661', SUBMARINER_BLACK),
    asked('saint laurent sac de j', 'saint_laurent_sac_de_jour_grained_leather_black'),
  ],
  'more than the name': [
    asked('nautilus blue dial', NAUTILUS_BLUE),
    asked('rolex daytona white dial', DAYTONA),
    asked('black caviar chanel classic flap jumbo gold hardware', CLASSIC_FLAP),
    asked('hermes kelly sellier gold', 'hermes_kelly_epsom_gold'),
    asked('rolex datejust jubilee blue', DATEJUST_41_BLUE),
    asked('datejust mint green', 'rolex_datejust_datejust_36_white_rolesor_mint_green'),
    asked('gold day date champagne dial', DAY_DATE_40),
    asked('omega seamaster green', 'omega_seamaster_aqua_terra_stainless_steel_green'),
    asked(
      'tiffany oyster perpetual',
      'rolex_oyster_perpetual_oyster_perpetual_41_oystersteel_turquoise_blue',
    ),
    asked('goyard green tote', 'goyard_anjou_goyardine_green'),
  ],
  'other scripts': [
    asked('シャネル', CLASSIC_FLAP),
    asked('エルメス バーキン birkin', BIRKIN_TOGO),
    asked('ルイ・ヴィトン speedy', SPEEDY),
    asked('шанель boy', 'chanel_boy_caviar_black'),
    asked('ролекс daytona', DAYTONA),
    asked('Эрмес kelly', KELLY_TOGO),
    asked('爱马仕', BIRKIN_TOGO),
    asked('劳力士', SUBMARINER_BLACK),
    asked('патек филип', NAUTILUS_BLUE),
    asked('ｃｈａｎｅｌ　ｂｏｙ', 'chanel_boy_caviar_black'),
  ],
};

/** What stands in a search box, and the names that must come first. */
export const GOLDEN_SUGGESTIONS: readonly GoldenQuery[] = [
  asked('chan', 'Chanel'),
  asked('channel cl', 'Classic Flap'),
  asked('hermes kely', 'Kelly'),
  asked('goyrad', 'Goyard'),
  asked('yves saint l', 'Saint Laurent'),
  asked('alligator', 'Niloticus Crocodile'),
  asked('クラッチ', 'Wallet on Chain'),
  asked('sub', 'Submariner'),
  asked('lv neverf', 'Neverfull'),
  asked('louis vuitton sp', 'Speedy'),
  asked('hermès', 'Hermès'),
  asked('エルメ', 'Hermès'),
  asked('爱马', 'Hermès'),
  asked('ролек', 'Rolex'),
  asked('patek phillipe naut', 'Nautilus'),
  asked('royal oak', 'Royal Oak'),
  asked('007', 'Omega Diver 300M Stainless Steel Blue'),
  asked('b', 'Balenciaga'),
];
