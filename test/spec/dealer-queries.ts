/** By product (its id without `product_`), what dealers type who mean it; it must come first. */
export const DEALER_QUERIES: Readonly<Record<string, readonly string[]>> = tableOf(`
rolex_submariner_submariner_date_oystersteel_black | 126610LN; 126610 LN; 126610-LN; 126610.ln; Rolex 126610 LN; ref 126610LN; M126610LN; m126610ln-0001; 126610LN-0001; rolexsubmariner; submariner date black; sub date 126610
rolex_submariner_submariner_date_oystersteel_green | 116610LV; 116610 LV; 116610/LV; 116610; hulk; rolex hulk; hulk 116610 lv; submarinerdate green; rolex sub green
rolex_submariner_submariner_oystersteel_black | 124060; rolex 124060; M124060; sub no date; submariner nodate; submariner 124060-0001
rolex_submariner_submariner_date_yellow_gold_blue | 126618LB; 126618 LB; yellowgold submariner; submariner yellow gold blue
rolex_gmt_master_ii_gmt_master_ii_oystersteel_black | 126710BLRO; 126710 BLRO; 126710-blro; pepsi; gmt pepsi; gmtmaster pepsi; gmt-master ii pepsi; GMT Master 2 Pepsi; rolex gmtmaster
rolex_gmt_master_ii_gmt_master_ii_oystersteel_blue_black | 126710BLNR; 126710 BLNR; batman; batgirl; rolex bat girl; gmt batman
rolex_gmt_master_ii_gmt_master_ii_everose_rolesor_black | 126711CHNR; 126711 chnr; rootbeer; root beer; rolex rootbeer gmt
rolex_daytona_cosmograph_daytona_oystersteel_white | 116500LN; 116500 LN; 116500; daytona panda; panda; paul newman daytona; cosmographdaytona; daytona ceramic; rolexdaytona
rolex_daytona_cosmograph_daytona_platinum_ice_blue | 116506; daytona iceblue; platinum daytona
rolex_day_date_day_date_40_yellow_gold_champagne | 228238; daydate 228238; DayDate 40 champagne; day-date40; day date 40 yellow gold
rolex_day_date_day_date_40_everose_gold_olive | 228235; daydate olive; day date olive
rolex_day_date_day_date_36_yellow_gold_champagne | 128238; daydate 36; day-date 36
rolex_datejust_datejust_41_white_rolesor_blue | 126334; datejust41 blue; datejust 41 jubilee; date just 41 blue; dj 126334 blue
rolex_datejust_datejust_41_white_rolesor_slate_roman | wimbledon; datejust wimbledon; datejust41 wimbledon
rolex_datejust_datejust_36_white_rolesor_mint_green | 126234; datejust36 mint; mint green datejust; mintgreen datejust
rolex_sky_dweller_sky_dweller_white_rolesor_blue | 326934; skydweller; sky dweller blue
rolex_sea_dweller_sea_dweller_oystersteel_black | 126600; seadweller; sea-dweller 43
rolex_milgauss_milgauss_oystersteel_z_blue | 116400GV; 116400 GV; 116400; milgauss zblue; milgaus
rolex_explorer_explorer_ii_oystersteel_white | 226570; explorer polar; explorer ii polar
rolex_oyster_perpetual_oyster_perpetual_41_oystersteel_turquoise_blue | 124300; oysterperpetual 41; oyster perpetual tiffany; OP 124300
patek_philippe_nautilus_nautilus_stainless_steel_blue | 5711/1A-010; 5711/1A; 57111A; 5711 1A 010; 57111A010; 5711-1A-010; patek 5711; 5711/1a010; patekphilippe nautilus; nautilus 5711
patek_philippe_nautilus_nautilus_stainless_steel_white | 5711/1A-011; 57111A011; 5711 1A 011
patek_philippe_nautilus_nautilus_moon_phases_stainless_steel_blue | 5712/1A-001; 57121A; 5712; moonphases nautilus
patek_philippe_aquanaut_aquanaut_stainless_steel_black | 5167A-001; 5167A001; 5167A; 5167 A; patek aquanaut
audemars_piguet_royal_oak_royal_oak_selfwinding_stainless_steel_blue | 15500ST; 15500 ST; AP 15500; royaloak 15500; 15500
audemars_piguet_royal_oak_royal_oak_extra_thin_stainless_steel_blue | 15202ST; 15202 ST; 15202; royaloak jumbo; ap jumbo; extrathin royal oak
audemars_piguet_royal_oak_offshore_royal_oak_offshore_chronograph_titanium_black | 26470ST; 26470 ST; royaloak offshore; ap offshore; off shore royal oak
omega_speedmaster_moonwatch_professional_stainless_steel_black | 310.30.42.50.01.001; 31030425001001; 310 30 42 50 01 001; 310.30.42; 3103042; speedmaster moonwatch; moon watch; speed master; omega hesalite
omega_seamaster_diver_300m_stainless_steel_blue | 210.30.42.20.03.001; 21030422003001; james bond seamaster; diver 300 m; diver300m; seamaster300m; omega 007
cartier_tank_tank_must_stainless_steel_silver | WSTA0041; wsta 0041; tankmust; cartier tank must
cartier_santos_santos_de_cartier_stainless_steel_silver | WSSA0018; WSSA 0018; WSSA-0018; santosdecartier
cartier_ballon_bleu_ballon_bleu_de_cartier_stainless_steel_silver | ballonbleu; ballon bleu 36mm; balon bleu cartier
iwc_portugieser_portugieser_chronograph_stainless_steel_white | IW371605; IW 371605; IW3716-05; 371605; IW-371605; portugieser
iwc_pilot_s_watches_big_pilot_stainless_steel_black | IW501001; IW5010-01; 501001; bigpilot; big pilot
jaeger_lecoultre_reverso_reverso_classic_stainless_steel_silver | Q2438520; Q 2438520; 2438520; jlc reverso; jaegerlecoultre; jaeger le coultre reverso
tudor_black_bay_black_bay_fifty_eight_stainless_steel_navy_blue | M79030B; 79030B; M79030B-0001; 79030; BB58; bb 58; blackbay 58; black bay fiftyeight
tag_heuer_monaco_monaco_calibre_11_stainless_steel_blue | CAW211P; CAW 211P; tagheuer monaco; steve mcqueen; calibre11 monaco
breitling_navitimer_navitimer_b01_chronograph_stainless_steel_black | AB0138; AB 0138; navitimer b01; navitimer b 01
panerai_luminor_luminor_marina_stainless_steel_black | PAM01312; PAM 01312; PAM-01312; 01312; luminormarina
a_lange_sohne_lange_1_lange_1_pink_gold_argente | 191.032; 191032; lange1; lange 1; a lange sohne
grand_seiko_heritage_spring_drive_titanium_white | SBGA211; SBGA 211; grandseiko; springdrive; snow flake seiko
richard_mille_rm_11_rm_11_03_titanium_skeleton | RM 11-03; RM11-03; RM1103; RM 1103; rm11; richardmille
chanel_classic_flap_caviar_black | flap bag chanel; classicflap; chanel classicflap black; doubleflap; double flap black; 11.12; 1112; chanel timeless; LOU535653; LOU 535653; LOU-535653; 535653; lou535653 chanel
chanel_2_55_reissue_aged_calfskin_black | 2.55; 255; chanel 2.55; chanel 255; reissue 226
chanel_chanel_19_lambskin_black | chanel 19; chanel19
chanel_chanel_22_shiny_calfskin_white | chanel 22; chanel22
chanel_wallet_on_chain_caviar_black | woc; chanel woc; walletonchain; wallet onchain
hermes_birkin_togo_black | birkin 25 togo black; birkin25; hermesbirkin; B 30 togo black birkin; H-112233-A; 112233; h112233a; 112233 A
hermes_kelly_togo_black | kelly 28 togo black; kelly28; kelly28 black
hermes_kelly_pochette_swift_nata | kellypochette; kelly pochete
hermes_garden_party_negonda_black | gardenparty; garden party 36
hermes_picotin_lock_clemence_gold | picotin18; picotinlock; picotin 18
hermes_herbag_toile_ebene | her bag; herbag 31
louis_vuitton_neverfull_monogram_brown | louisvuitton neverfull; never full mm; lv neverfull; neverfullmm; LVneverfull
louis_vuitton_speedy_monogram_brown | louisvuitton speedy 30; speedy30; speedy 30 monogram; lv speedy; LouisVuitton Speedy; M-41526; M41526; 41526
louis_vuitton_pochette_metis_monogram_brown | pochettemetis; pochette métis; lv metis
louis_vuitton_onthego_monogram_brown | on the go; onthego mm; onthego
louis_vuitton_keepall_monogram_brown | keepall55; keep all 55; keepall 55
dior_lady_dior_cannage_lambskin_black | ladydior; lady dior mini; ladydior black
dior_book_tote_oblique_jacquard_blue | booktote; dior booktote; book tote dior
dior_30_montaigne_box_calfskin_black | 30montaigne; 30 montaigne
gucci_gg_marmont_matelasse_black | ggmarmont; gg marmont; gucci mar mont
gucci_jackie_1961_leather_black | jackie1961; jackie 1961
prada_re_edition_2005_re_nylon_black | reedition 2005; re-edition2005; prada re nylon; renylon
saint_laurent_sac_de_jour_grained_leather_black | sacdejour; sac de jour; ysl sac de jour
saint_laurent_loulou_matelasse_black | loulou; saintlaurent loulou; lou lou ysl
bottega_veneta_the_pouch_butter_calf_black | bottegaveneta pouch; bottega pouch
celine_belt_bag_grained_calfskin_grey | beltbag; celine beltbag
goyard_saint_louis_goyardine_black | saintlouis; goyard saintlouis; saint louis gm
`);

function tableOf(table: string): Record<string, string[]> {
  const lines = table.trim().split('\n');
  return Object.fromEntries(
    lines.map((line) => {
      const [product = '', queries = ''] = line.split(' | ');
      return [product, queries.split('; ')];
    }),
  );
}
